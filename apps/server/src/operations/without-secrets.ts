/** Members that are never written, whoever logs them and whatever they hold. */
const secrets = new Set([
  ..."pass password secret token url databaseUrl appKey appkey sessionId sessionid authorization cookie".split(" "),
  ..."secureToken secure-token symmetricKey credentials aesKey masterKey privateKey passphrase".split(" "),
]);

type Facts = Record<string, unknown>;

/**
 * The facts of a log line without the values of secrets, on the first level and the one below. The logger's own
 * redaction does the same at three times the cost of a whole line.
 */
export function withoutSecrets(facts: Facts): Facts {
  let clean = facts;
  for (const name in facts) {
    const value = facts[name];
    const replaced = secrets.has(name) ? "***" : isPlain(value) ? withoutSecretMembers(value) : value;
    if (replaced === value) continue;
    if (clean === facts) clean = { ...facts };
    clean[name] = replaced;
  }
  return clean;
}

function withoutSecretMembers(value: Facts): Facts {
  const found = Object.keys(value).filter((name) => secrets.has(name));
  return found.length === 0 ? value : { ...value, ...Object.fromEntries(found.map((name) => [name, "***"])) };
}

function isPlain(value: unknown): value is Facts {
  return typeof value === "object" && value !== null && !(value instanceof Error) && !Array.isArray(value);
}
