import { walkFields } from "../fields/index.ts";
import { configurationSchema } from "../schema/configuration-schema.ts";
import type { Environment } from "../sources/read-environment.ts";
import { didYouMean } from "./did-you-mean.ts";

const prefix = "SALLYPORT_";
/** Shorter names resemble too many others. */
const shortest = 8;
/** Maximum letters by which a typing error differs. */
const slips = 2;

/** Warnings about variables that resemble a setting but are not read. */
export function environmentWarnings(environment: Environment): string[] {
  const known = Array.from(walkFields(configurationSchema)).flatMap(({ facts: { env, secret } }) => (env === null ? [] : secret ? [env, `${env}_FILE`] : [env]));
  known.push(`${prefix}CONFIG`);
  const given = Object.keys(environment).filter((name) => environment[name] !== undefined && environment[name] !== "" && !known.includes(name));
  return given.flatMap((name) => {
    const bare = name.startsWith(prefix) ? name.slice(prefix.length) : name;
    const meant = known.includes(bare) ? bare : bare.length < shortest ? undefined : didYouMean(bare, known, slips);
    if (meant !== undefined) return [`${name}: no setting is read from this variable. Did you mean ${meant}?`];
    return name.startsWith(prefix) ? [`${name}: no setting is read from this variable.`] : [];
  });
}
