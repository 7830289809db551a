import type { LargeSink, LargeSinks } from "../../large-result.ts";

export interface TrackedSinks extends LargeSinks {
  /** Gives up every payload there was: the call has no result that could have them in it. */
  abandon(): Promise<void>;
}

/** Remembers what was opened: a call may fail after its answer was read, when nobody holds its payloads any more. */
export function trackSinks(sinks: LargeSinks): TrackedSinks {
  const opened: LargeSink[] = [];
  return {
    ...(sinks.filterText === undefined ? {} : { filterText: sinks.filterText }),
    open: (form, mediaType, name) => {
      const sink = sinks.open(form, mediaType, name);
      opened.push(sink);
      return sink;
    },
    abandon: async () => {
      await Promise.all(opened.map((sink) => sink.abort()));
    },
  };
}
