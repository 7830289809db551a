/** Where the bodies of a feed's records lie in the bucket. */
export function bodyPrefix(feedId: number): string {
  return `records/${feedId}/`;
}
