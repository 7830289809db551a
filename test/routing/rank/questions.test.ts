import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ROUTING_QUERY_MAX_TERMS } from "../../../src/limits.ts";
import type { RoutingDocument } from "../../../src/routing/document/analyse-document.ts";
import { readQuery } from "../../../src/routing/rank/query.ts";
import { rank } from "../../../src/routing/rank/rank.ts";
import { CATALOG } from "../catalog.ts";
import { anyText, committedTable, indexOf, plainDocument, tangledQuery } from "../support.ts";

const termsOf = (query: string): string[] =>
  readQuery(query).flatMap(({ words }) => words.map(({ term }) => term));

describe("a question as it is read", () => {
  it("function words do not crowd out what follows them", () => {
    expect(termsOf(`${"the of and to ".repeat(200)} invoice`)).toEqual(["invoic"]);
  });

  it("function words count where there is nothing else", () => {
    expect(termsOf("am I")).toEqual(["am", "i"]);
    expect(termsOf("am I a tool")).toEqual(["tool"]);
    expect(termsOf("Who am I? Am I?")).toEqual(["who"]);
  });

  it("sentences are read apart; what ends none is no end", () => {
    expect(readQuery("Close the issue. Send an email! Why? Report;\nstop")).toHaveLength(5);
    for (const one of ["node.js 1.2", "a.b;c", "acme:jobs.Run@1.2#00000000", "!?", "東京の天気"]) {
      expect(readQuery(one).length).toBeLessThanOrEqual(1);
    }
    expect(readQuery("天気は？電車は。")).toHaveLength(2);
  });

  it("has no more words than are looked up, in all its sentences", () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(tangledQuery, anyText), { maxLength: 60 }), (texts) => {
        const sentences = readQuery(texts.join(". "));
        const words = sentences.flatMap((sentence) => sentence.words);
        expect(words.length).toBeLessThanOrEqual(ROUTING_QUERY_MAX_TERMS);
        for (const { words: own, joined, pairs } of sentences) {
          expect(own.length).toBeGreaterThan(0);
          const terms = own.map(({ term }) => term);
          expect(new Set(terms).size).toBe(terms.length);
          expect(joined.filter((term) => terms.includes(term))).toEqual([]);
          for (const { of } of pairs) expect(of[0]).not.toBe(of[1]);
        }
      }),
    );
    const many = Array.from({ length: 200_000 }, (_, at) => `w${at.toString(36)}`);
    expect(termsOf(many.join(" "))).toHaveLength(ROUTING_QUERY_MAX_TERMS);
    expect(termsOf(many.join(". "))).toHaveLength(ROUTING_QUERY_MAX_TERMS);
    expect(readQuery(many.join(". ")).filter(({ words }) => words.length === 0)).toEqual([]);
  });

  it("pairs are of content words, and end with the sentence and with a script without spaces", () => {
    const pairs = (query: string): string[] =>
      readQuery(query).flatMap((one) => one.pairs.map(({ term }) => term));
    expect(pairs("close the issue")).toEqual([" clos issu"]);
    expect(pairs("close. issue")).toEqual([]);
    expect(pairs("close 東京 issue")).toEqual([]);
    expect(pairs("issue issues")).toEqual([]);
    expect(pairs("closeIssue")).toEqual([" clos issu"]);
  });
});

describe("words that say little", () => {
  it("count half of what others do, and answer where there is nothing else", () => {
    const index = indexOf([plainDocument("get"), plainDocument("invoice")]);
    const [first, second] = rank(index, "get invoice", { topK: 2 }).hits;
    expect(first?.id).toBe("plain:invoice#00000000");
    expect(second?.score).toBeLessThan(first?.score ?? 0);
    expect(rank(index, "get all of them now", { topK: 2 }).hits.map(({ id }) => id)).toEqual([
      "plain:get#00000000",
    ]);
    const importance = (query: string) =>
      readQuery(query)[0]?.words.map((word) => [word.term, word.importance]);
    expect(importance("get invoice")).toEqual([
      ["get", 0.5],
      ["invoic", 1],
    ]);
  });

  it("are looked up for themselves, and for nothing that means the same", () => {
    const index = indexOf([plainDocument("obtain"), plainDocument("fetch")], committedTable());
    expect(rank(index, "get", { topK: 5 }).total).toBe(0);
  });
});

describe("the server's name", () => {
  const actions = [
    "create",
    "close",
    "list",
    "delete",
    "merge",
    "review",
    "label",
    "lock",
    "pin",
    "transfer",
  ];
  function toolOf(server: string, action: string, thing: string): RoutingDocument {
    const name = `${action}_${thing}`;
    return { ...plainDocument(name, `To ${action} ${thing}.`, `${server}:${name}#00000000`), server };
  }

  const github = ["issue", "release"].flatMap((thing) =>
    actions.map((action) => toolOf("github", action, thing)),
  );
  const others = ["tracker", "gitlab"].map((server) => toolOf(server, "create", "issue"));

  it("does not drown the action, and tells two of one action apart", () => {
    for (const table of [undefined, committedTable()]) {
      const index = indexOf([...github, ...others], table);
      for (const query of ["github create issue", "create issue on github", "github: create an issue"]) {
        const ids = rank(index, query, { topK: 3 }).hits.map(({ id }) => id);
        expect(ids[0]).toBe("github:create_issue#00000000");
        expect(ids).toContain("tracker:create_issue#00000000");
      }
      for (const action of actions) {
        expect(rank(index, `github ${action} release`, { topK: 1 }).hits[0]?.id).toBe(
          `github:${action}_release#00000000`,
        );
      }
    }
  });
});

describe("a story around a question", () => {
  const STORY = [
    "I run a small bakery and we have had a strange week.",
    "On Monday the oven stopped, on Tuesday it was my cousin's birthday and nobody slept.",
    "My accountant says that we should be more careful, whatever that means.",
    "Yesterday I walked along the river for two hours and thought about all of it.",
    "The neighbours were loud again, so I closed the windows and read until midnight.",
    "Anyhow, there is one thing that I would like you to do before lunch.",
    "Do not hurry, I am drinking coffee and the shop opens late today.",
    "After that I will be gone until the evening, so do not wait for me.",
    "Grandmother used to say that patience is the better half of bread.",
    "It has been raining since the morning and the street is empty.",
    "If you find nothing, that is fine as well, I will try again next week.",
    "Thank you, and sorry for the long letter.",
  ];
  const QUESTIONS: readonly (readonly [string, string])[] = [
    ["Send an email to the people in the team.", "mailbox:send-message"],
    ["Create an invoice for the customer.", "billing:invoices.create"],
    ["Cancel the subscription at the end of its period.", "billing:subscriptions.cancel"],
    ["Upload the object to the bucket.", "store:s3_upload"],
    ["Close the issue as done.", "tracker:close_issue"],
    ["Remove the file for good.", "files:deleteFile"],
    ["Give the customer money back for the payment.", "billing:refunds.create"],
    ["Are there storm and flood warnings for the region?", "weather:get_alerts"],
    ["Execute a statement against the PostgreSQL database.", "store:runSQLQuery"],
  ];

  it.each(QUESTIONS)(
    "of a thousand characters leaves the tool among the first five: %s",
    (question, tool) => {
      const place = (index: ReturnType<typeof indexOf>, query: string): number =>
        rank(index, query, { topK: CATALOG.length }).hits.findIndex(({ id }) => id.startsWith(`${tool}#`));
      for (const index of [indexOf(CATALOG), indexOf(CATALOG, committedTable())]) {
        expect(place(index, question)).toBe(0);
        for (let at = 0; at <= STORY.length; at += 1) {
          const story = [...STORY.slice(0, at), question, ...STORY.slice(at)].join(" ");
          expect(story.length).toBeGreaterThan(800);
          const found = place(index, story);
          expect(found).toBeGreaterThanOrEqual(0);
          expect(found).toBeLessThan(5);
        }
      }
    },
  );
});
