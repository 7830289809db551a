import { FRAMINGS } from "./large-upstream.ts";
import { measureAnswer } from "./one-answer.ts";
import { WAYS } from "./ways.ts";

/** Started by `memory.ts`, one answer a process: the way, the framing and the bytes come as arguments. */
const [asked, framed, bytes] = process.argv.slice(2);
const way = WAYS.find((each) => each === asked);
const framing = FRAMINGS.find((each) => each === framed);
if (way === undefined || framing === undefined)
  throw new Error(`no such way to take an answer: ${asked}, ${framed}`);
console.log(JSON.stringify(await measureAnswer(way, framing, Number(bytes))));
