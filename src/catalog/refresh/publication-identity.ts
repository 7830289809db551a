/** What published content was made from. */
export interface PublicationIdentity {
  /** Hash of the tools' servers and judgements. */
  readonly tools: string;
  /** Version of the neighbour table that went into the index. */
  readonly neighbours: string;
}

/** As it is kept with a generation. Neither part has a space. */
export function identityText({ tools, neighbours }: PublicationIdentity): string {
  return `${tools} ${neighbours}`;
}

export function readIdentity(text: string): PublicationIdentity {
  const [tools = "", neighbours = ""] = text.split(" ");
  return { tools, neighbours };
}
