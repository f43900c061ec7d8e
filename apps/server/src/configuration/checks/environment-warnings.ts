import { walkFields } from "../fields/index.ts";
import { configurationSchema } from "../schema/configuration-schema.ts";
import type { Environment } from "../sources/read-environment.ts";
import { didYouMean } from "./did-you-mean.ts";

const prefix = "SALLYPORT_";
/** Shorter names resemble too many others. */
const shortest = 5;
/** Names from this length on are taken for a typing error whatever letter they start with. */
const long = 8;
/** Two slips in a shorter name can make another word of it: HTTP_PORT, SMTP_PORT. */
const longer = 11;
/** Names that other software gives to what is a setting here. */
const otherwise: ReadonlyMap<string, string> = new Map([
  ["MARIADB_URL", "DATABASE_URL"],
  ["SMTP_PASS", "SMTP_PASSWORD"],
  ["SMTP_USERNAME", "SMTP_USER"],
]);

/** Warnings about variables that resemble a setting but are not read. */
export function environmentWarnings(environment: Environment): string[] {
  const known = Array.from(walkFields(configurationSchema)).flatMap(({ facts: { env, secret } }) =>
    env === null ? [] : secret ? [env, `${env}_FILE`] : [env],
  );
  known.push(`${prefix}CONFIG`);
  const isSet = (name: string): boolean => environment[name] !== undefined && environment[name] !== "";
  const given = Object.keys(environment).filter((name) => isSet(name) && !known.includes(name));
  return given.flatMap((name) => {
    const own = name.startsWith(prefix);
    const meant = settingMeantBy(own ? name.slice(prefix.length) : name, known);
    // Where the setting itself is given, a name that resembles it belongs to other software.
    if (meant !== undefined && (own || !isSet(meant)))
      return [`${name}: no setting is read from this variable. Did you mean ${meant}?`];
    return own ? [`${name}: no setting is read from this variable.`] : [];
  });
}

function settingMeantBy(name: string, known: readonly string[]): string | undefined {
  if (known.includes(name)) return name;
  if (name.length < shortest) return undefined;
  const bare = withoutSeparators(name);
  const same = known.find((each) => withoutSeparators(each) === bare);
  if (same !== undefined) return same;
  const renamed = Array.from(otherwise).find(([other]) => withoutSeparators(other) === bare);
  if (renamed !== undefined) return renamed[1];
  const meant = didYouMean(name, known, name.length < longer ? 1 : 2);
  return name.length < long && meant?.[0] !== name[0] ? undefined : meant;
}

function withoutSeparators(name: string): string {
  return name.replaceAll(/[_.-]/g, "").toUpperCase();
}
