import { describe, expect, it } from "vitest";
import { rank, type Ranking } from "../../../src/routing/rank/rank.ts";
import { CATALOG } from "../catalog.ts";
import { indexOf, plainDocument } from "../support.ts";

const INDEX = indexOf(CATALOG);
const ask = (query: string, topK = 5): Ranking => rank(INDEX, query, { topK });
const names = (ranking: Ranking): (string | undefined)[] =>
  ranking.hits.map(({ id }) => CATALOG.find((document) => document.id === id)?.name);

describe("a question finds its tool", () => {
  it.each([
    ["open a new ticket issue", "create_issue"],
    ["close issue", "close_issue"],
    ["comment on an issue", "add_comment"],
    ["read the contents of a file", "readFile"],
    ["renaming files", "moveFile"],
    ["list what is inside a folder", "listDirectory"],
    ["send an email", "send-message"],
    ["find emails from a sender", "search-messages"],
    ["storm warnings", "get_alerts"],
    ["weather forecast for the coming days", "get_forecast"],
    ["create an invoice", "invoices.create"],
    ["give the customer the money back", "refunds.create"],
    ["cancelling a subscription", "subscriptions.cancel"],
    ["upload to s3", "s3_upload"],
    ["postgresql", "runSQLQuery"],
    ["columns of a table in the database", "describeTable"],
    ["レストランを検索", "search_restaurant"],
    ["電車の料金", "train_route"],
    ["réserver un café", "book_café"],
    ["reserver un cafe", "book_café"],
    ["who am i", "who_am_i"],
  ])("%s", (query, name) => {
    expect(names(ask(query))[0]).toBe(name);
  });

  it("the server's name does not outweigh the action", () => {
    const [first, ...rest] = names(ask("billing: search customers", 9));
    expect(first).toBe("customers.search");
    expect(rest).toContain("invoices.create");
    expect(names(ask("tracker send email"))[0]).toBe("send-message");
  });

  it("a rare word counts more than a common one", () => {
    const common = Array.from({ length: 20 }, (_, at) => plainDocument(`t${at}`, "report"));
    const index = indexOf([...common, plainDocument("z", "glacier")]);
    expect(rank(index, "report glacier", { topK: 1 }).hits[0]?.id).toBe(plainDocument("z").id);
  });

  it("an accented word counts once for a tool that has both its forms, and for the better one", () => {
    const both = indexOf([
      plainDocument("t", "café"),
      plainDocument("u", "cafe"),
      plainDocument("v", "cafe"),
    ]);
    const { hits } = rank(both, "café", { topK: 5 });
    expect(hits[0]?.id).toBe(plainDocument("t").id);
    expect(hits.map(({ score }) => score < 1)).toEqual([true, true, true]);
    // The exact form is rarer than the folded one, so it is the exact one that counted.
    expect(hits[0]?.score).toBeGreaterThan(hits[1]?.score ?? 1);
  });

  it("function words are read where a query has nothing else", () => {
    expect(names(ask("am i"))).toEqual(["who_am_i"]);
  });

  it("the order of words that nobody has side by side does not matter", () => {
    expect(ask("customer storm upload")).toEqual(ask("upload customer storm"));
    expect(names(ask("issue close"))).toEqual(names(ask("close issue")));
  });
});

describe("a name comes first", () => {
  it("upstream name, id, id without hash, name in the id; then without regard to case", () => {
    const index = indexOf([
      { ...plainDocument("Run"), id: "acme:jobs.Run@1.2#00000000", name: "acme.jobs.Run" },
      { ...plainDocument("other", "jobs run jobs run acme jobs.run run"), id: "acme:other#00000000" },
    ]);
    const best = (query: string) => rank(index, query, { topK: 1 }).hits[0];
    for (const query of [
      "acme.jobs.Run",
      "acme:jobs.Run@1.2#00000000",
      "acme:jobs.Run@1.2",
      "acme:jobs.Run",
      " jobs.Run\n",
    ]) {
      expect(best(query)?.id).toBe("acme:jobs.Run@1.2#00000000");
      expect(best(query)?.score).toBeGreaterThanOrEqual(2);
    }
    expect(best("JOBS.RUN")?.id).toBe("acme:jobs.Run@1.2#00000000");
    expect(best("JOBS.RUN")?.score).toBeLessThan(2);
  });

  it("the spelling asked for comes before another one", () => {
    const index = indexOf([plainDocument("GET"), plainDocument("get"), plainDocument("Get")]);
    for (const name of ["GET", "get", "Get"]) {
      expect(rank(index, name, { topK: 3 }).hits[0]?.id).toBe(plainDocument(name).id);
    }
  });

  it("one name on two servers is a tie that is shown", () => {
    const index = indexOf([
      { ...plainDocument("search"), id: "b:search#00000000", server: "b" },
      { ...plainDocument("search"), id: "a:search#00000000", server: "a" },
    ]);
    const { hits, ambiguous } = rank(index, "search", { topK: 5 });
    expect(hits.map(({ id }) => id)).toEqual(["a:search#00000000", "b:search#00000000"]);
    expect(ambiguous).toBe(true);
  });

  it("a name without a word in it is found", () => {
    const index = indexOf([plainDocument("_"), plainDocument("__")]);
    expect(rank(index, "__", { topK: 5 })).toMatchObject({
      hits: [{ id: "plain:__#00000000", score: 2 }],
      total: 1,
    });
  });
});

describe("what is said of a ranking", () => {
  it("nothing matched is empty, neither ambiguous nor weak", () => {
    const nothing = { hits: [], total: 0, ambiguous: false, weak: false };
    for (const query of ["zzzxqv", "", "   ", "the of and", "!?", "\uD800", "量子力学"])
      expect(ask(query)).toEqual(nothing);
    expect(rank(indexOf([]), "anything", { topK: 5 })).toEqual(nothing);
  });

  it("total counts matches before the cut", () => {
    const all = ask("issue", 50);
    expect(all.total).toBe(all.hits.length);
    expect(all.total).toBeGreaterThan(2);
    expect(ask("issue", 2)).toEqual({ ...all, hits: all.hits.slice(0, 2) });
    expect(ask("issue", 0)).toEqual({ ...all, hits: [] });
    expect(ask("issue", -3)).toEqual({ ...all, hits: [] });
  });

  it("a near tie at the top is ambiguous, a clear winner is not", () => {
    expect(ask("emails").ambiguous).toBe(true);
    expect(ask("cancel subscription").ambiguous).toBe(false);
    expect(ask("create_issue").ambiguous).toBe(false);
  });

  it("a question that shares only a stray word with the catalog is weak", () => {
    const stray = ask("bake sourdough bread with a long rise overnight at a warm place");
    expect(stray.hits.length).toBeGreaterThan(0);
    expect(stray.weak).toBe(true);
  });

  it("a question that a tool answers is not weak, however long the story around it", () => {
    const question = "send an email to the people in the team about the outage";
    expect(ask(question).weak).toBe(false);
    expect(ask("create_issue").weak).toBe(false);
    expect(names(ask(`${question} ${"and so on and so forth ".repeat(400)}`))[0]).toBe("send-message");
  });

  it("equal scores are in the order of ids, by code point", () => {
    const ids = ["x:a\u{1F600}", "x:a\uFF5E", "x:B", "x:a"];
    const index = indexOf(ids.map((id) => plainDocument("same", "word", id)));
    const { hits } = rank(index, "word", { topK: 9 });
    expect(new Set(hits.map(({ score }) => score)).size).toBe(1);
    expect(hits.map(({ id }) => id)).toEqual(["x:B", "x:a", "x:a\uFF5E", "x:a\u{1F600}"]);
  });
});
