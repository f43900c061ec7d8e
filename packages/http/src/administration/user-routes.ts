import {
  administeredGroup,
  administeredUser,
  emptyResponse,
  factorParameters,
  factorsResponse,
  groupChangeRequest,
  groupsResponse,
  newGroupRequest,
  newUserRequest,
  pageParameters,
  setPasswordRequest,
  userChangeRequest,
  usersResponse,
} from "@sallyport/contract";
import { accountOwner } from "@sallyport/storage";
import {
  findAdministeredUser,
  findGroup,
  type ListedFactor,
  listAdministeredUsers,
  listGroups,
  requireAccount,
  secondFactorsOf,
  takeSecondFactors,
} from "@sallyport/core";
import type { Route } from "../routes/route.ts";
import type { UseCases } from "../routes/use-cases.ts";
import { administrationRoute, pageData, requiredVersions } from "./administration-route.ts";

const path = "/users/{userId}";

/** Routes of database users. */
export function userRoutes({ createUser, changeUser, setUserPassword }: UseCases): Route[] {
  return [
    administrationRoute({
      method: "GET",
      path: "/users",
      operation: "listUsers",
      summary: "List the users",
      query: pageParameters,
      data: usersResponse,
      errors: [],
      handle: async (context, { query }) => ({
        data: await pageData(query, (page) => listAdministeredUsers(context, page), {
          keyOf: ({ name }) => name,
          show: (user) => user,
        }),
      }),
    }),
    administrationRoute({
      method: "POST",
      path: "/users",
      operation: "createUser",
      summary: "Create a user",
      needsProof: true,
      body: { schema: newUserRequest, faultOrder: [] },
      data: administeredUser,
      versioned: true,
      errors: [320],
      handle: async (context, { body: { groups: groupIds, ...given } }) => {
        const userId = await createUser.createUser(context, { ...given, groups: [], createsGroups: false, groupIds });
        return answerOf(await findAdministeredUser(context, userId));
      },
    }),
    administrationRoute({
      method: "GET",
      path,
      operation: "getUser",
      summary: "Get a user",
      data: administeredUser,
      versioned: true,
      errors: [],
      handle: async (context, { parameter }) => answerOf(await findAdministeredUser(context, parameter("userId"))),
    }),
    administrationRoute({
      method: "PATCH",
      path,
      operation: "changeUser",
      summary: "Change a user",
      description: "Takes effect with the next request of the user. Administrators cannot take their own access.",
      needsProof: true,
      body: { schema: userChangeRequest, faultOrder: [] },
      data: administeredUser,
      versioned: true,
      conditional: true,
      errors: [404, 610, 713],
      handle: async (context, { parameter, body: change, ...input }) => {
        const expectedVersions = requiredVersions(input);
        return answerOf(
          await changeUser.changeUser(context, { userId: parameter("userId"), change, expectedVersions }),
        );
      },
    }),
    administrationRoute({
      method: "PUT",
      path: `${path}/password`,
      operation: "setUserPassword",
      summary: "Set the password of a user",
      description: "Ends the sessions of the user.",
      needsProof: true,
      body: { schema: setPasswordRequest, faultOrder: [] },
      data: emptyResponse,
      errors: [320, 713],
      handle: async (context, { parameter, body }) => {
        await setUserPassword.setUserPassword(context, { name: { id: parameter("userId") }, ...body });
        return { data: {} };
      },
    }),
    administrationRoute({
      method: "GET",
      path: `${path}/factors`,
      operation: "listFactors",
      summary: "List the second factors of a user",
      data: factorsResponse,
      errors: [],
      handle: async (context, { parameter }) => {
        const { id } = await requireAccount(context.r, { id: parameter("userId") });
        return { data: { items: (await secondFactorsOf(context, accountOwner(id))).map(shownFactor) } };
      },
    }),
    administrationRoute({
      method: "DELETE",
      path: `${path}/factors`,
      operation: "removeFactors",
      summary: "Remove lost second factors of a user",
      needsProof: true,
      query: factorParameters,
      data: emptyResponse,
      errors: [],
      handle: async (context, { parameter, query: { app = null } }) => {
        await takeSecondFactors(context, { of: "user", name: { id: parameter("userId") }, appName: app });
        return { data: {} };
      },
    }),
  ];
}

/** Routes of user groups. A group is deleted as an object. */
export function groupRoutes({ putGroup }: UseCases): Route[] {
  return [
    administrationRoute({
      method: "GET",
      path: "/groups",
      operation: "listGroups",
      summary: "List the user groups",
      query: pageParameters.extend({ after: pageParameters.shape.after.refine(isPlace) }),
      data: groupsResponse,
      errors: [],
      handle: async (context, { query: { after = "0", limit = 100 } }) => {
        const offset = Number(after);
        const items = await listGroups(context, { offset, limit });
        return { data: { items, next: items.length < limit ? null : String(offset + items.length) } };
      },
    }),
    administrationRoute({
      method: "POST",
      path: "/groups",
      operation: "createGroup",
      summary: "Create a user group",
      body: { schema: newGroupRequest, faultOrder: [] },
      data: administeredGroup,
      versioned: true,
      errors: [404, 713],
      handle: async (context, { body }) => answerOf(await putGroup.createGroup(context, body)),
    }),
    administrationRoute({
      method: "GET",
      path: "/groups/{groupId}",
      operation: "getGroup",
      summary: "Get a user group",
      data: administeredGroup,
      versioned: true,
      errors: [],
      handle: async (context, { parameter }) => answerOf(await findGroup(context, parameter("groupId"))),
    }),
    administrationRoute({
      method: "PATCH",
      path: "/groups/{groupId}",
      operation: "changeGroup",
      summary: "Change a user group",
      description: "Change the members with the users.",
      body: { schema: groupChangeRequest, faultOrder: [] },
      data: administeredGroup,
      versioned: true,
      conditional: true,
      errors: [404, 610, 713],
      handle: async (context, { parameter, body: change, ...input }) => {
        const expectedVersions = requiredVersions(input);
        return answerOf(
          await putGroup.changeGroup(context, { groupId: parameter("groupId"), change, expectedVersions }),
        );
      },
    }),
  ];
}

function isPlace(text: string | undefined): boolean {
  return text === undefined || /^[1-9]\d{0,8}$/.test(text);
}

function answerOf<Content>({ content: data, version }: { readonly content: Content; readonly version: number }) {
  return { data, version };
}

/** A factor without its secret. */
export function shownFactor({ subject, ownerName, appName, confirmed, recoveryCodes }: ListedFactor) {
  return { subject, user: ownerName, app: appName, confirmed, recoveryCodesLeft: recoveryCodes.length };
}
