import fc from "fast-check";

const all = "abcdefghijklmnopqrstuvwxyz0123456789_-";
/** Alphabets from common to those whose letters a tokenizer seldom joins. */
const alphabets = [
  all,
  "yqa",
  "yqbcdfe",
  "qjxzvkw",
  "qz",
  "jxzqyv",
  "q7-_z",
  "a1",
  "etaoinsr",
  "bcdfghjklmnpqrstvwxz",
];

function nameOf(alphabet: string): fc.Arbitrary<string> {
  const unit = fc.constantFrom(...Array.from(alphabet));
  const noise = fc.string({ unit, minLength: 1, maxLength: 63 });
  const period = fc
    .tuple(fc.string({ unit, minLength: 1, maxLength: 4 }), fc.integer({ min: 1, max: 63 }))
    .map(([text, chars]) => text.repeat(63).slice(0, chars));
  return fc.oneof(noise, period);
}

/** Legal namespaces, up to 64 characters, most of them dear in tokens. */
export const hostileName: fc.Arbitrary<string> = fc
  .tuple(fc.constantFrom("q", "x", "a"), fc.oneof(...alphabets.map(nameOf)))
  .map(([first, rest]) => first + rest);
