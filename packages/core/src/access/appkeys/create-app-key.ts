import { allPages, type AppKey, type RandomSource, type Repositories, ServiceError } from "@sallyport/storage";
import { type AdministrationContext, changesBetween, type Uses } from "../../request/index.ts";
import { appKeyDigest, type AppKeyScope, markAdministrationKey } from "./app-key-scope.ts";
import { requireApplications } from "./create-application.ts";
import { isReturnAddress } from "./return-address.ts";
import { isWebOrigin } from "./web-origin.ts";

export interface CreateAppKeyInput extends Pick<AppKey, "name" | "appNames" | "origins" | "returnAddresses"> {
  /** `null`: generate a new key. Keys with scope `admin` are always generated. */
  readonly key: string | null;
  /** Default: `app`. */
  readonly scope?: AppKeyScope;
}

/** Characters that are valid in a header. */
const acceptable = /^[\x21-\x7E]{3,512}$/;

/** Minimum length, in characters, of a key that cannot be guessed. */
export const safeAppKeyLength = 16;

/**
 * Creates an app key. Only its digest is stored. Returns the key. Unknown app name: 208. Taken name or key: 307. Other
 * refusals: see `acceptAppKey`.
 */
export async function createAppKey(
  context: AdministrationContext & Uses<{ readonly random: RandomSource }>,
  { key: keyText, scope = "app", ...input }: CreateAppKeyInput,
): Promise<string> {
  const { unit, eventOf } = context;
  acceptAppKey(input);
  if (scope === "admin" && keyText !== null)
    throw new ServiceError(307, { detail: "An app key for administration is always generated." });
  const key = keyText === null ? context.services.random.secret() : acceptKeyText(keyText);
  const { name, appNames, origins, returnAddresses } = input;
  await unit.transaction(async (r) => {
    if (appNames !== null) await requireApplications(r, appNames);
    if ((await r.appKeys.create(input, appKeyDigest(key, scope, context.database.digests))) === "nameTaken") {
      const detail = `An app key with the name "${name}" or with this key already exists.`;
      throw new ServiceError(307, { detail });
    }
    if (scope === "admin") await markAdministrationKey(r, name);
    const appKeyId = (await findAppKey(r, name))?.id ?? "";
    const changes = changesBetween(null, { name, scope, appNames, origins, returnAddresses });
    await r.audit.append(eventOf({ type: "appKey.created", appKeyId, changes }));
  });
  return key;
}

/** Enables or disables an app key by name. The change applies from the next request. Unknown name: 304. */
export async function setAppKeyEnabled(
  { unit, eventOf }: AdministrationContext,
  { name, enabled }: Pick<AppKey, "name" | "enabled">,
): Promise<void> {
  await unit.transaction(async (r) => {
    const appKey = await findAppKey(r, name);
    if (appKey === undefined || !(await r.appKeys.setEnabled(name, enabled)))
      throw new ServiceError(304, { detail: `There is no app key with the name "${name}".` });
    const type = enabled ? "appKey.enabled" : "appKey.disabled";
    const changes = changesBetween({ enabled: appKey.enabled }, { enabled });
    await r.audit.append(eventOf({ type, appKeyId: appKey.id, changes }));
  });
}

/** Reads all pages: the port has no read by name. Only audit events of administration need it, and keys are few. */
async function findAppKey(r: Pick<Repositories, "appKeys">, name: string): Promise<AppKey | undefined> {
  const appKeys = await allPages(
    ({ after, limit }) => r.appKeys.list(after, limit),
    (each) => each.name,
  );
  return appKeys.find((each) => each.name === name);
}

/** Throws 307 for a blank name, an invalid origin or an invalid return address. */
export function acceptAppKey({
  name,
  origins,
  returnAddresses,
}: Pick<AppKey, "name" | "origins" | "returnAddresses">): void {
  if (name.trim() === "") throw new ServiceError(307, { detail: "The name of an app key must not be empty." });
  for (const each of origins) acceptOrigin(each);
  for (const each of returnAddresses) acceptReturnAddress(each);
}

/** Returns the key if it is valid in a header. Otherwise throws 307. */
export function acceptKeyText(key: string): string {
  if (acceptable.test(key)) return key;
  throw new ServiceError(307, { detail: "An app key must have 3 to 512 visible ASCII characters and no spaces." });
}

function acceptOrigin(text: string): void {
  if (isWebOrigin(text)) return;
  const form = "An origin has a scheme, a host and an optional port, such as https://app.example, as browsers send it";
  throw new ServiceError(307, {
    detail: `"${text}" is not an origin. ${form}: in lower case, without a path and a default port. The port :* allows any port.`,
  });
}

function acceptReturnAddress(text: string): void {
  if (isReturnAddress(text)) return;
  const forms =
    "https://, a private-use scheme with a dot (com.example.app:/), http://localhost, http://127.0.0.1 or http://[::1]";
  const refused =
    "It has no fragment, no user information, no * and no parameter named code or error. Its scheme and host are in lower case.";
  throw new ServiceError(307, {
    detail: `"${text}" is not a redirect URL. A redirect URL starts with ${forms}. ${refused}`,
  });
}
