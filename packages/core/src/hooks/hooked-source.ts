import { type Sight, type SerializationSource, serializationSource } from "../objects/serialization-source.ts";
import { AnswerHooks } from "./answer-hooks.ts";
import type { HookCaller } from "./hook-caller.ts";
import { noHooks, type ObjectHooks } from "./object-hooks.ts";

/** What the answers of a request are made from, hooks among it. What hooks themselves read is as it is stored. */
export function hookedSource(
  hooks: ObjectHooks,
  caller: HookCaller,
  { model, visibility }: Sight,
): SerializationSource {
  const source = serializationSource(caller, visibility);
  return hooks === noHooks || caller.hookDepth !== undefined
    ? source
    : { ...source, extension: new AnswerHooks(hooks, caller, { model, source }) };
}
