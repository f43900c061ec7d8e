import {
  administeredCustomUser,
  customUserChangeRequest,
  customUsersResponse,
  emptyResponse,
  endedResponse,
  factorParameters,
  factorsResponse,
  newCustomUserRequest,
  pageParameters,
  setPasswordRequest,
} from "@sallyport/contract";
import { accountOwner } from "@sallyport/storage";
import {
  changeAdministeredCustomUser,
  findAdministeredCustomUser,
  type ListedCustomUser,
  listCustomUsers,
  removeCustomUser,
  requireCustomUser,
  secondFactorsOf,
  takeSecondFactors,
  type Versioned,
} from "@sallyport/core";
import type { Route } from "../routes/route.ts";
import type { UseCases } from "../routes/use-cases.ts";
import { administrationRoute, pageData, requiredVersions } from "./administration-route.ts";
import { shownFactor } from "./user-routes.ts";

const path = "/customUsers/{customUserId}";

/** Routes of custom users. */
export function customUserAdministrationRoutes({ addCustomUser, setCustomPassword }: UseCases): Route[] {
  const idOf = (parameter: (name: string) => string) => parameter("customUserId");
  return [
    administrationRoute({
      method: "GET",
      path: "/customUsers",
      operation: "listCustomUsers",
      summary: "List the custom users",
      query: pageParameters,
      data: customUsersResponse,
      errors: [],
      handle: async (context, { query }) => ({
        data: await pageData(query, (page) => listCustomUsers(context, page), {
          keyOf: ({ loginName }) => loginName,
          show: shown,
        }),
      }),
    }),
    administrationRoute({
      method: "POST",
      path: "/customUsers",
      operation: "createCustomUser",
      summary: "Create a custom user",
      needsProof: true,
      body: { schema: newCustomUserRequest, faultOrder: [] },
      data: administeredCustomUser,
      versioned: true,
      errors: [320],
      handle: async (context, { body: { userId, ...given } }) => {
        const id = await addCustomUser.addCustomUser(context, { ...given, user: { id: userId } });
        return answerOf(await findAdministeredCustomUser(context, id));
      },
    }),
    administrationRoute({
      method: "GET",
      path,
      operation: "getCustomUser",
      summary: "Get a custom user",
      data: administeredCustomUser,
      versioned: true,
      errors: [],
      handle: async (context, { parameter }) => answerOf(await findAdministeredCustomUser(context, idOf(parameter))),
    }),
    administrationRoute({
      method: "PATCH",
      path,
      operation: "changeCustomUser",
      summary: "Change a custom user",
      needsProof: true,
      body: { schema: customUserChangeRequest, faultOrder: [] },
      data: administeredCustomUser,
      versioned: true,
      conditional: true,
      errors: [713],
      handle: async (context, { parameter, body: change, ...input }) => {
        const expectedVersions = requiredVersions(input);
        return answerOf(await changeAdministeredCustomUser(context, { id: idOf(parameter), change, expectedVersions }));
      },
    }),
    administrationRoute({
      method: "DELETE",
      path,
      operation: "removeCustomUser",
      summary: "Remove a custom user",
      needsProof: true,
      data: endedResponse,
      errors: [713],
      handle: async (context, { parameter }) => ({
        data: { ended: await removeCustomUser(context, { id: idOf(parameter) }) },
      }),
    }),
    administrationRoute({
      method: "PUT",
      path: `${path}/password`,
      operation: "setCustomUserPassword",
      summary: "Set the password of a custom user",
      description: "Ends the sessions of the custom user.",
      needsProof: true,
      body: { schema: setPasswordRequest, faultOrder: [] },
      data: emptyResponse,
      errors: [320, 713],
      handle: async (context, { parameter, body }) => {
        await setCustomPassword.setCustomPassword(context, { name: { id: idOf(parameter) }, ...body });
        return { data: {} };
      },
    }),
    administrationRoute({
      method: "GET",
      path: `${path}/factors`,
      operation: "listCustomUserFactors",
      summary: "List the second factors of a custom user",
      data: factorsResponse,
      errors: [],
      handle: async (context, { parameter }) => {
        const { id } = await requireCustomUser(context.r, { id: idOf(parameter) });
        return { data: { items: (await secondFactorsOf(context, accountOwner(id))).map(shownFactor) } };
      },
    }),
    administrationRoute({
      method: "DELETE",
      path: `${path}/factors`,
      operation: "removeCustomUserFactors",
      summary: "Remove lost second factors of a custom user",
      needsProof: true,
      query: factorParameters,
      data: emptyResponse,
      errors: [],
      handle: async (context, { parameter, query: { app = null } }) => {
        await takeSecondFactors(context, { of: "customUser", name: { id: idOf(parameter) }, appName: app });
        return { data: {} };
      },
    }),
  ];
}

function shown({ id, loginName, disabled, email, userId, mappedUserName }: ListedCustomUser) {
  return { customUserId: id, name: loginName, enabled: !disabled, email, userId, user: mappedUserName };
}

function answerOf({ content, version }: Versioned<ListedCustomUser>) {
  return { data: shown(content), version };
}
