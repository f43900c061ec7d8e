import { faultAt } from "../../errors/index.ts";
import type { Model } from "../../model/index.ts";
import type { AskedSet, ChosenSet, ObjectHooks } from "./active-hooks.ts";
import { concerning, deeper, type HookCaller } from "./hook-caller.ts";

export interface Choice {
  readonly hook: string;
  readonly set: ChosenSet;
}

/** Passes a query to find hooks. 307 if one refuses it. */
export type ChooseObjects = (asked: AskedSet) => Promise<readonly Choice[]>;

export interface AskedClass {
  readonly className: string;
  readonly macro: unknown;
  readonly model: Model;
}

/** The default hooks of a class and the one named by the query (else 307); inside hooks only the named one. `null` if there are none. */
export async function objectChooser(
  all: ObjectHooks,
  caller: HookCaller,
  { className, macro, model }: AskedClass,
): Promise<ChooseObjects | null> {
  const found = all.current(caller);
  const active = found instanceof Promise ? await found : found;
  const hooks = concerning(active?.findObjects ?? [], className, model);
  const named = hooks.find(({ name }) => name === macro);
  if (macro !== undefined && named === undefined) throw faultAt("/query/macro", "There is no such macro.");
  const byDefault = caller.hookDepth === undefined ? hooks.filter((hook) => hook.byDefault && hook !== named) : [];
  const asked = named === undefined ? byDefault : [...byDefault, named];
  if (active === null || asked.length === 0) return null;
  return (set) => {
    const choose = async (inside: HookCaller): Promise<Choice[]> => {
      const choices: Choice[] = [];
      for (const hook of asked) {
        const chosen = await hook.run(inside, set);
        if (!chosen.accepted)
          throw faultAt(hook === named ? "/query/macro" : "/query", `The hook ${hook.name} does not accept it.`);
        choices.push({ hook: hook.name, set: chosen });
      }
      return choices;
    };
    return active.prepared(deeper(caller), choose, { reads: true });
  };
}
