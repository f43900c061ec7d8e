import type { administeredCustomUserOperations } from "@sallyport/contract";
import { accountOwner } from "@sallyport/storage";
import {
  changeAdministeredCustomUser,
  findAdministeredCustomUser,
  listCustomUsers,
  type ListedCustomUser,
  removeCustomUser,
  requireCustomUser,
  secondFactorsOf,
  takeSecondFactors,
  type Versioned,
  addCustomUser,
  setCustomPassword,
} from "@sallyport/core";
import type { Handlers } from "../route.ts";
import { pageData, requiredVersions } from "./answers.ts";
import { shownFactor } from "./user-handlers.ts";

/** Custom users. */
export const administeredCustomUserHandlers: Handlers<typeof administeredCustomUserOperations> = {
  listCustomUsers: async (context, { query }) => ({
    data: await pageData(query, (page) => listCustomUsers(context, page), {
      keyOf: ({ loginName }) => loginName,
      show: shown,
    }),
  }),
  createCustomUser: async (context, { body: { userId, ...input } }) => {
    const id = await addCustomUser(context, { ...input, user: { id: userId } });
    return answerOf(await findAdministeredCustomUser(context, id));
  },
  getCustomUser: async (context, { parameter }) =>
    answerOf(await findAdministeredCustomUser(context, parameter("customUserId"))),
  changeCustomUser: async (context, { parameter, body: change, ...input }) => {
    const expectedVersions = requiredVersions(input);
    return answerOf(
      await changeAdministeredCustomUser(context, { id: parameter("customUserId"), change, expectedVersions }),
    );
  },
  removeCustomUser: async (context, { parameter }) => ({
    data: { ended: await removeCustomUser(context, { id: parameter("customUserId") }) },
  }),
  setCustomUserPassword: async (context, { parameter, body }) => {
    await setCustomPassword(context, { name: { id: parameter("customUserId") }, ...body });
  },
  listCustomUserFactors: async (context, { parameter }) => {
    const { id } = await requireCustomUser(context.r, { id: parameter("customUserId") });
    return { data: { items: (await secondFactorsOf(context, accountOwner(id))).map(shownFactor) } };
  },
  removeCustomUserFactors: async (context, { parameter, query: { app = null } }) => {
    await takeSecondFactors(context, { of: "customUser", name: { id: parameter("customUserId") }, appName: app });
  },
};

function shown({ id, loginName, disabled, email, userId, mappedUserName }: ListedCustomUser) {
  return { customUserId: id, name: loginName, enabled: !disabled, email, userId, user: mappedUserName };
}

function answerOf({ content, version }: Versioned<ListedCustomUser>) {
  return { data: shown(content), version };
}
