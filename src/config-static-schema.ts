import * as z from "zod";

const text = z.string().min(1);

const resourceSchema = z
  .strictObject({
    uri: text.describe("What the resource is read by."),
    name: text.optional().describe("How it reads in an id; without it, the address's last segment."),
    title: z.string().optional().describe("What it is called where people see it."),
    description: z.string().optional().describe("What it is for."),
    mimeType: z.string().optional().describe("The type of its content."),
    text: z.string().optional().describe("Its content, as text."),
    blob: z.base64().optional().describe("Its content, in base64."),
  })
  .refine(
    ({ text: own, blob }) => (own === undefined) !== (blob === undefined),
    "has text or blob: write one",
  );

const promptSchema = z.strictObject({
  name: text.describe("What the prompt is asked for by."),
  title: z.string().optional().describe("What it is called where people see it."),
  description: z.string().optional().describe("What it is for."),
  arguments: z
    .array(
      z.strictObject({
        name: text.describe("As it stands in the messages, between double braces."),
        title: z.string().optional().describe("What it is called where people see it."),
        description: z.string().optional().describe("What it means."),
        required: z.boolean().default(false).describe("Without it there is no prompt."),
      }),
    )
    .default([])
    .describe("What the prompt takes."),
  messages: z
    .array(
      z.strictObject({
        role: z.enum(["user", "assistant"]).describe("Who says it."),
        content: z.string().describe("What is said; `{{name}}` is replaced by the argument of that name."),
      }),
    )
    .min(1)
    .describe("The messages, in order."),
});

/** What a block without a server behind it has: its listings, and what they are read from. */
export const staticKeys = {
  type: z.literal("static").describe("No server: what is listed, and read, stands here."),
  resources: z.array(resourceSchema).default([]).describe("Resources that are read from this block itself."),
  prompts: z.array(promptSchema).default([]).describe("Prompts that are made from this block itself."),
};
