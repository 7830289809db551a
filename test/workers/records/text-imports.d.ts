/** Vite gives a file's text under this suffix. */
declare module "*?raw" {
  const text: string;
  export default text;
}
