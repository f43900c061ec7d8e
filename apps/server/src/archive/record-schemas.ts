import { type ArchiveSection, isObjectId, isUuid, providerTypes } from "@sallyport/core";
import { z } from "zod";

const count = z.int().nonnegative();
const objectId = z.string().refine(isObjectId);
const uuid = z.string().refine((text) => isUuid(text) && text === text.toLowerCase());
const digest = z.string().regex(/^[0-9a-f]{64}$/);
const attributes = z.custom<object>((value) => typeof value === "object" && value !== null && !Array.isArray(value));
const names = z.array(z.string());

const object = {
  id: objectId,
  uuid,
  stamp: z.int().positive(),
  readers: z.array(objectId).nullable(),
  version: z.int().positive(),
  storedAt: z.int(),
  className: z.string(),
  attributes,
};

const event = {
  at: z.int(),
  since: z.int(),
  attempts: count,
  type: z.string(),
  requestId: z.string(),
  outcome: count,
  appKeyId: z.string(),
  userId: objectId.nullable(),
  address: z.string(),
  appNames: names,
  className: z.string().nullable(),
  macroName: z.string().nullable(),
  providerName: z.string().nullable(),
};

/** What the lines of each section are. What a class is has to be understood by the model, so only its outline is looked at. */
export const recordSchemas: { readonly [Section in ArchiveSection]: z.ZodType<object> } = {
  settings: z.strictObject({
    maintenance: z.boolean(),
    modelGeneration: count,
    macroGeneration: count,
    objects: count,
    lastObject: count,
    lastAudit: count,
  }),
  classes: z.strictObject({
    definition: z.looseObject({
      name: z.string(),
      base: z.string().nullable(),
      attributes: z.array(z.looseObject({ name: z.string(), type: z.string() })),
      rights: z.array(z.looseObject({ group: z.string(), permissions: names })),
    }),
  }),
  macros: z.strictObject({
    name: z.string(),
    version: z.int().positive(),
    text: z.string().nullable(),
    language: z.enum(["js", "ts"]).nullable(),
    changedAt: z.int(),
    changedBy: z.string(),
  }),
  applications: z.strictObject({
    name: z.string(),
    seats: count.nullable(),
    secondFactor: z.enum(["off", "optional", "forced"]).default("off"),
  }),
  appKeys: z.strictObject({
    id: z.string(),
    name: z.string(),
    enabled: z.boolean(),
    appNames: names.nullable(),
    origins: names,
    // Archives of earlier versions know none.
    returnAddresses: names.default([]),
    digest,
  }),
  objects: z.strictObject(object),
  links: z.strictObject({ id: objectId, links: z.record(z.string(), z.array(objectId)) }),
  departures: z.strictObject({
    ...object,
    leader: objectId,
    deletedBy: objectId.nullable().default(null),
    attributes: attributes.nullable(),
  }),
  accounts: z.strictObject({
    userId: objectId,
    loginName: z.string(),
    confusableKey: z.string(),
    secret: z.string(),
    secretVersion: z.int(),
    administrator: z.boolean(),
    disabled: z.boolean(),
    email: z.string().nullable(),
  }),
  customAccounts: z.strictObject({
    id: uuid,
    loginName: z.string(),
    userId: objectId,
    email: z.string().nullable(),
    secret: z.string(),
    secretVersion: z.int(),
    disabled: z.boolean(),
    confusableKey: z.string(),
  }),
  identityProviders: z.strictObject({
    type: z.enum(providerTypes),
    name: z.string(),
    sealedData: z.string(),
    defaultUserId: objectId.nullable(),
    appNames: names,
  }),
  identityLinks: z.strictObject({
    id: uuid,
    provider: z.enum(providerTypes),
    issuer: z.string(),
    subject: z.string(),
    userId: objectId,
    shared: z.boolean(),
    email: z.string().nullable(),
    displayName: z.string().nullable(),
    linkedAt: z.int(),
  }),
  secondFactors: z.strictObject({
    subject: z.string(),
    appName: z.string(),
    sealedSecret: z.string(),
    confirmed: z.boolean(),
    lastStep: z.int().min(-1),
    recoveryCodes: z.array(digest),
  }),
  passwordHistory: z.strictObject({ subject: z.string(), secrets: names }),
  keys: z.strictObject({
    kind: z.enum(["rsa", "jwt"]),
    keyId: z.string(),
    publicKey: z.string(),
    wrappedPrivateKey: z.string(),
    createdAt: z.int(),
    acceptedUntil: z.int().nullable(),
  }),
  audit: z.strictObject({ ...event, sequence: z.int().positive() }),
  tallies: z.strictObject({ ...event, key: z.string() }),
};
