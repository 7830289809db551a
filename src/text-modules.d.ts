/** Wrangler's `Text` rule bundles these files as strings. */
declare module "*.jsonc" {
  const text: string;
  export default text;
}
