import type { Caller } from "../authoring/caller.ts";
import type { Services } from "../authoring/services.ts";
import { ask, tell } from "./host-calls.ts";
import { objects } from "./objects.ts";
import { stringify, toText } from "./primordials.ts";
import { random, uuid } from "./random.ts";

function log(...parts: readonly unknown[]): void {
  let line = "";
  for (let index = 0; index < parts.length; index += 1) {
    const part = parts[index];
    line += `${index === 0 ? "" : " "}${typeof part === "string" ? part : (stringify(part) ?? toText(part))}`;
  }
  tell("log", stringify(line));
}

const now = () => ask("now", null) as Promise<number>;

export function servicesFor(caller: Caller): Services {
  return { caller, objects, log, now, random, uuid };
}
