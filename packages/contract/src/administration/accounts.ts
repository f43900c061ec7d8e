import * as z from "zod";
import { administrationRights, operations } from "../operations.ts";
import { endedResponse, objectId, pageOf, pageParameters, searchParameters } from "./access.ts";

const name = z.string().describe("Log-in name. Case-sensitive.");
const email = z.string().nullable().describe("Mail address for password resets. `null` for none.");
/** Exactly one of them. */
const newPassword = {
  password: z
    .string()
    .max(1_024)
    .optional()
    .describe("As a person types it, also if it looks like an MD5. Required without `passwordDigest`."),
  passwordDigest: z
    .string()
    .max(32)
    .optional()
    .describe("Instead of `password`: the MD5 of a password, 32 hexadecimal digits. Its length is not checked."),
};

const rights = z.enum(administrationRights).optional();

/** A database user. */
export const administeredUser = z
  .object({
    userId: z.string().describe("Id of the user object."),
    name,
    description: z.string().nullable(),
    enabled: z.boolean(),
    administrator: z.boolean().describe("Whether the user can use these routes."),
    rights: z
      .enum(administrationRights)
      .nullable()
      .describe("Rights of an administrator. `all` also frees from the rights on classes and objects."),
    email,
    groups: z.array(z.string()).describe("Ids of the user groups."),
  })
  .meta({ id: "AdministeredUser" });

export const usersResponse = pageOf(administeredUser).meta({ id: "AdministeredUsers" });

/** Body of `POST /admin/v1/users`. */
export const newUserRequest = z
  .strictObject({
    name,
    ...newPassword,
    description: z.string().optional().describe("Description of the user."),
    administrator: z
      .boolean()
      .optional()
      .describe("`true` without `rights` makes the user an administrator with all rights."),
    rights: rights.describe("Makes the user an administrator with these rights."),
    email: email.default(null),
    groups: z.array(objectId).default([]).describe("Ids of the user groups."),
  })
  .meta({ id: "NewUser" });

/** Body of `PATCH /admin/v1/users/{userId}`. Absent members stay as they are. */
export const userChangeRequest = z
  .strictObject({
    name: name.optional(),
    description: z.string().nullable().optional().describe("New description."),
    enabled: z.boolean().optional().describe("`false` ends the sessions of the user."),
    administrator: z
      .boolean()
      .optional()
      .describe("`false` takes the rights. `true` without `rights` gives all to a user without any."),
    rights: rights.describe("Makes the user an administrator with these rights."),
    email: email.optional(),
    groups: z.array(z.string()).optional().describe("Ids of the user groups. Replaces all."),
  })
  .meta({ id: "UserChange" });

/** Body that sets the password of a user. */
export const setPasswordRequest = z.strictObject(newPassword).meta({ id: "SetPassword" });

/** A user group. */
export const administeredGroup = z
  .object({ groupId: z.string(), name: z.string(), description: z.string().nullable() })
  .meta({ id: "AdministeredGroup" });

export const groupsResponse = pageOf(administeredGroup).meta({ id: "AdministeredGroups" });

const groupName = z.string().min(1).max(1_024);
const groupDescription = z.string().nullable().optional();

export const newGroupRequest = z
  .strictObject({
    name: groupName.describe("Name of the group."),
    description: groupDescription.describe("Description of the group."),
  })
  .meta({ id: "NewGroup" });

export const groupChangeRequest = z
  .strictObject({
    name: groupName.optional().describe("New name."),
    description: groupDescription.describe("New description."),
  })
  .meta({ id: "GroupChange" });

/** A second factor of a user. */
export const administeredFactor = z
  .object({
    subject: z.string().describe("The owner: `user:`, `custom:` or `link:` and an id."),
    user: z.string().nullable().describe("Log-in name of the owner. `null` for a link or a deleted account."),
    app: z.string(),
    confirmed: z.boolean(),
    recoveryCodesLeft: z.int(),
  })
  .meta({ id: "AdministeredFactor" });

export const factorsResponse = z.object({ items: z.array(administeredFactor) }).meta({ id: "AdministeredFactors" });

export const allFactorsResponse = pageOf(administeredFactor).meta({ id: "AllAdministeredFactors" });

/** Query parameters of a removal of second factors. */
export const factorParameters = z.object({
  app: z.string().min(1).max(1_024).optional().describe("App name of the factor. Default: all."),
});

export type AdministeredUserData = z.infer<typeof administeredUser>;
export type AdministeredGroupData = z.infer<typeof administeredGroup>;
export type AdministeredFactorData = z.infer<typeof administeredFactor>;
export type NewUserData = z.input<typeof newUserRequest>;
export type UserChangeData = z.input<typeof userChangeRequest>;
export type SetPasswordData = z.input<typeof setPasswordRequest>;
export type NewGroupData = z.input<typeof newGroupRequest>;
export type GroupChangeData = z.input<typeof groupChangeRequest>;

/** A custom user. */
export const administeredCustomUser = z
  .object({
    customUserId: z.string(),
    name,
    enabled: z.boolean(),
    email,
    userId: z.string().describe("Id of the mapped database user."),
    user: z.string().describe("Name of the mapped database user. Empty if that user is deleted."),
  })
  .meta({ id: "AdministeredCustomUser" });

export const customUsersResponse = pageOf(administeredCustomUser).meta({ id: "AdministeredCustomUsers" });

export const newCustomUserRequest = z
  .strictObject({
    name,
    ...newPassword,
    userId: z.string().describe("Id of the database user to map to."),
    email: email.default(null),
  })
  .meta({ id: "NewCustomUser" });

export const customUserChangeRequest = z
  .strictObject({
    enabled: z.boolean().optional().describe("`false` ends the sessions of the custom user."),
    email: email.optional(),
    userId: z.string().optional().describe("Id of the database user to map to. Ends the sessions."),
  })
  .meta({ id: "CustomUserChange" });

export type AdministeredCustomUserData = z.infer<typeof administeredCustomUser>;
export type NewCustomUserData = z.input<typeof newCustomUserRequest>;
export type CustomUserChangeData = z.input<typeof customUserChangeRequest>;

/** Query parameters of the list of groups, whose places are numbers. */
const groupParameters = searchParameters.extend({
  after: pageParameters.shape.after.refine((text) => text === undefined || /^[1-9]\d{0,8}$/.test(text)),
});

/** Database users and user groups. A group is deleted as an object. */
export const userOperations = operations("Users", {
  listUsers: {
    method: "GET",
    path: "/admin/v1/users",
    access: "session",
    // Events of the audit have ids.
    rights: administrationRights,
    summary: "List the users",
    query: searchParameters,
    data: usersResponse,
  },
  createUser: {
    method: "POST",
    path: "/admin/v1/users",
    access: "session",
    proof: true,
    summary: "Create a user",
    body: { json: newUserRequest },
    data: administeredUser,
    versioned: true,
    errors: [320],
  },
  getUser: {
    method: "GET",
    path: "/admin/v1/users/{userId}",
    access: "session",
    summary: "Get a user",
    data: administeredUser,
    versioned: true,
  },
  changeUser: {
    method: "PATCH",
    path: "/admin/v1/users/{userId}",
    access: "session",
    proof: true,
    summary: "Change a user",
    description:
      "Takes effect with the next request of the user. Administrators cannot take their own access, nor lower their own rights.",
    body: { json: userChangeRequest },
    data: administeredUser,
    versioned: true,
    conditional: true,
    errors: [404, 610, 713],
  },
  setUserPassword: {
    method: "PUT",
    path: "/admin/v1/users/{userId}/password",
    access: "session",
    proof: true,
    summary: "Set the password of a user",
    description: "Ends the sessions of the user.",
    body: { json: setPasswordRequest },
    errors: [320, 713],
  },
  listFactors: {
    method: "GET",
    path: "/admin/v1/users/{userId}/factors",
    access: "session",
    summary: "List the second factors of a user",
    data: factorsResponse,
  },
  removeFactors: {
    method: "DELETE",
    path: "/admin/v1/users/{userId}/factors",
    access: "session",
    proof: true,
    summary: "Remove lost second factors of a user",
    query: factorParameters,
  },
  listAllFactors: {
    method: "GET",
    path: "/admin/v1/factors",
    access: "session",
    summary: "List the second factors of all owners",
    query: pageParameters,
    data: allFactorsResponse,
  },
  removeFactorsOf: {
    method: "DELETE",
    path: "/admin/v1/factors/{subject}",
    access: "session",
    proof: true,
    summary: "Remove lost second factors of an owner",
    description: "`subject` is that of a listed factor.",
    query: factorParameters,
  },
  listGroups: {
    method: "GET",
    path: "/admin/v1/groups",
    access: "session",
    rights: administrationRights,
    summary: "List the user groups",
    command: { name: "group list", help: "list groups" },
    query: groupParameters,
    data: groupsResponse,
  },
  createGroup: {
    method: "POST",
    path: "/admin/v1/groups",
    access: "session",
    summary: "Create a user group",
    command: { name: "group create", help: "create a group", done: 'Created group "{name}".' },
    body: { json: newGroupRequest },
    data: administeredGroup,
    versioned: true,
    errors: [404, 713],
  },
  getGroup: {
    method: "GET",
    path: "/admin/v1/groups/{groupId}",
    access: "session",
    summary: "Get a user group",
    data: administeredGroup,
    versioned: true,
  },
  changeGroup: {
    method: "PATCH",
    path: "/admin/v1/groups/{groupId}",
    access: "session",
    summary: "Change a user group",
    description: "Change the members with the users.",
    command: { name: "group change", help: "rename or describe a group", done: 'Changed group "{name}".' },
    body: { json: groupChangeRequest },
    data: administeredGroup,
    versioned: true,
    conditional: true,
    errors: [404, 610, 713],
  },
});

/** Custom users. */
export const administeredCustomUserOperations = operations("Custom users", {
  listCustomUsers: {
    method: "GET",
    path: "/admin/v1/customUsers",
    access: "session",
    summary: "List the custom users",
    query: pageParameters,
    data: customUsersResponse,
  },
  createCustomUser: {
    method: "POST",
    path: "/admin/v1/customUsers",
    access: "session",
    proof: true,
    summary: "Create a custom user",
    body: { json: newCustomUserRequest },
    data: administeredCustomUser,
    versioned: true,
    errors: [320],
  },
  getCustomUser: {
    method: "GET",
    path: "/admin/v1/customUsers/{customUserId}",
    access: "session",
    summary: "Get a custom user",
    data: administeredCustomUser,
    versioned: true,
  },
  changeCustomUser: {
    method: "PATCH",
    path: "/admin/v1/customUsers/{customUserId}",
    access: "session",
    proof: true,
    summary: "Change a custom user",
    body: { json: customUserChangeRequest },
    data: administeredCustomUser,
    versioned: true,
    conditional: true,
    errors: [713],
  },
  removeCustomUser: {
    method: "DELETE",
    path: "/admin/v1/customUsers/{customUserId}",
    access: "session",
    proof: true,
    summary: "Remove a custom user",
    data: endedResponse,
    errors: [713],
  },
  setCustomUserPassword: {
    method: "PUT",
    path: "/admin/v1/customUsers/{customUserId}/password",
    access: "session",
    proof: true,
    summary: "Set the password of a custom user",
    description: "Ends the sessions of the custom user.",
    body: { json: setPasswordRequest },
    errors: [320, 713],
  },
  listCustomUserFactors: {
    method: "GET",
    path: "/admin/v1/customUsers/{customUserId}/factors",
    access: "session",
    summary: "List the second factors of a custom user",
    data: factorsResponse,
  },
  removeCustomUserFactors: {
    method: "DELETE",
    path: "/admin/v1/customUsers/{customUserId}/factors",
    access: "session",
    proof: true,
    summary: "Remove lost second factors of a custom user",
    query: factorParameters,
  },
});
