import { faultAt } from "@sallyport/storage";
import type { Model } from "../../model/index.ts";
import type { FindRequest, FindHookResult, HookCaller } from "./active-hooks.ts";
import { concerning, deeper } from "./hook-caller.ts";

export interface NamedFindResult {
  readonly hook: string;
  readonly request: FindHookResult;
}

/** Passes a query to find hooks. 307 if one refuses it. */
export type RunFindHooks = (request: FindRequest) => Promise<readonly NamedFindResult[]>;

export interface FindHookTarget {
  readonly className: string;
  readonly macro: unknown;
  readonly model: Model;
}

/** The default hooks of a class and the one named by the query (else 307); inside hooks only the named one. `null` if there are none. */
export async function findHookRunner(
  caller: HookCaller,
  { className, macro, model }: FindHookTarget,
): Promise<RunFindHooks | null> {
  const current = caller.services.objectHooks.current(caller);
  const active = current instanceof Promise ? await current : current;
  const hooks = concerning(active?.findObjects ?? [], className, model);
  const named = hooks.find(({ name }) => name === macro);
  if (macro !== undefined && named === undefined)
    throw faultAt("/query/macro", "There is no hook with this name for the class.");
  const byDefault = caller.hookDepth === undefined ? hooks.filter((hook) => hook.byDefault && hook !== named) : [];
  const selected = named === undefined ? byDefault : [...byDefault, named];
  if (active === null || selected.length === 0) return null;
  return (request) => {
    const runAll = async (inside: HookCaller): Promise<NamedFindResult[]> => {
      const results: NamedFindResult[] = [];
      for (const hook of selected) {
        const result = await hook.run(inside, request);
        if (!result.accepted)
          throw faultAt(hook === named ? "/query/macro" : "/query", `The hook ${hook.name} refused the query.`);
        results.push({ hook: hook.name, request: result });
      }
      return results;
    };
    return active.prepared(deeper(caller), runAll, { opensTransaction: false });
  };
}
