import type { RoutingDocument } from "../../src/routing/document/analyse-document.ts";
import { extractParameters } from "../../src/routing/document/extract-parameters.ts";

/** A parameter's name and description a property. */
type Properties = Readonly<Record<string, string>>;

function tool(
  server: string,
  name: string,
  description: string,
  properties: Properties = {},
): RoutingDocument {
  const inputSchema = {
    type: "object",
    properties: Object.fromEntries(
      Object.entries(properties).map(([key, text]) => [key, { type: "string", description: text }]),
    ),
  };
  const id = `${server}:${name}#00000000`;
  return { id, name, description, server, ...extractParameters(inputSchema) };
}

/** Thirty tools of seven invented servers, in the styles that real ones are written in. */
export const CATALOG: readonly RoutingDocument[] = [
  tool("tracker", "create_issue", "Open a new issue in a project.", {
    project: "Key of the project",
    title: "One line",
  }),
  tool("tracker", "close_issue", "Close an issue as done. Use reopen_issue to undo.", {
    issue: "Number of the issue",
  }),
  tool("tracker", "list_issues", "List the issues of a project, newest first.", {
    project: "Key of the project",
  }),
  tool("tracker", "add_comment", "Write a comment under an issue.", {
    issue: "Number of the issue",
    body: "Markdown",
  }),
  tool("tracker", "assign_user", "Make a person responsible for an issue.", {
    issue: "Number",
    login: "Who",
  }),
  tool("files", "readFile", "Return the contents of a text file.", { path: "Where the file is" }),
  tool("files", "writeFile", "Replace the contents of a file, or make a new one.", {
    path: "Where",
    content: "Text",
  }),
  tool("files", "listDirectory", "Show the files and folders inside a folder.", { path: "Folder" }),
  tool("files", "moveFile", "Rename a file or put it into another folder.", {
    from: "Old path",
    to: "New path",
  }),
  tool("files", "deleteFile", "Remove a file for good.", { path: "Where the file is" }),
  tool("mailbox", "send-message", "Send an email to one or more people.", {
    to: "Addresses",
    subject: "Subject line",
  }),
  tool("mailbox", "search-messages", "Find emails by sender, subject or date.", {
    query: "Words to look for",
  }),
  tool("mailbox", "draft-reply", "Prepare an answer to an email without sending it.", {
    message: "Identifier",
  }),
  tool("mailbox", "archive-message", "Take an email out of the inbox.", { message: "Identifier" }),
  tool("weather", "get_forecast", "Weather of the coming days at a place.", {
    city: "Name of the town",
    days: "How many",
  }),
  tool("weather", "get_alerts", "Storm and flood warnings in force for a region.", {
    region: "Code of the region",
  }),
  tool("weather", "get_air_quality", "Fine dust and ozone at a place.", { city: "Name of the town" }),
  tool("billing", "invoices.create", "Draft an invoice for a customer.", {
    customer: "Who pays",
    amount: "In cents",
  }),
  tool("billing", "invoices.send", "Send an invoice to the customer.", { invoice: "Number of the invoice" }),
  tool("billing", "refunds.create", "Give a customer money back for a payment.", {
    payment: "Number of the payment",
  }),
  tool("billing", "customers.search", "Find a customer by name or address.", { query: "Words to look for" }),
  tool("billing", "subscriptions.cancel", "End a subscription at the end of its period.", {
    subscription: "Number",
  }),
  tool("store", "s3_upload", "Upload an object to a bucket.", {
    bucket: "Name of the bucket",
    key: "Name of the object",
  }),
  tool("store", "s3_presign", "Make a link to an object that works for an hour.", {
    bucket: "Name",
    key: "Name",
  }),
  tool("store", "runSQLQuery", "Execute a statement against the PostgreSQL database and return rows.", {
    sql: "Statement",
  }),
  tool("store", "describeTable", "Columns and types of a database table.", { table: "Name of the table" }),
  tool("tokyo", "search_restaurant", "東京のレストランを料理の種類で検索します。", { genre: "料理の種類" }),
  tool("tokyo", "train_route", "二つの駅の間の電車の経路と料金を調べます。", {
    from: "出発駅",
    to: "到着駅",
  }),
  tool("tokyo", "book_café", "Réserver une table dans un café près d'une gare.", { heure: "À quelle heure" }),
  tool("tokyo", "who_am_i", "The account in use.", {}),
];
