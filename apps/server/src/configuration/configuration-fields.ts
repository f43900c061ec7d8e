import { anyElement, walkFields } from "./fields/index.ts";
import { configurationSchema } from "./schema/configuration-schema.ts";

/** One line of the reference. */
export interface ConfigurationField {
  /** As in the file; `[]` stands for any element of a list. */
  readonly path: string;
  /** Environment variable, if there is one; a secret's may also be spelled with `_FILE`. */
  readonly env: string | null;
  readonly type: string;
  /** As JSON; `null` when there is none. */
  readonly default: string | null;
  readonly doc: string;
  readonly secret: boolean;
}

/** Every field of the configuration, in the order of the file. */
export function configurationFields(): ConfigurationField[] {
  return Array.from(walkFields(configurationSchema), ({ path, facts }) => ({
    path: path.join(".").replaceAll(`.${anyElement}`, anyElement),
    env: facts.env,
    type: facts.kind.type,
    default: facts.default === undefined ? null : JSON.stringify(facts.default),
    doc: facts.doc,
    secret: facts.secret,
  }));
}
