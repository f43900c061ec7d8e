import type { userOperations } from "@sallyport/contract";
import { accountOwner } from "@sallyport/storage";
import {
  createAdministeredUser,
  findAdministeredUser,
  findGroup,
  listAdministeredUsers,
  type ListedFactor,
  listGroups,
  listSecondFactors,
  requestedRights,
  requireAccount,
  secondFactorsOf,
  takeSecondFactors,
  takeSecondFactorsOf,
  changeUser,
  setUserPassword,
  createGroup,
  changeGroup,
} from "@sallyport/core";
import type { Handlers } from "../route.ts";
import { pageData, requiredVersions } from "./answers.ts";

/** Database users and user groups. */
export const userHandlers: Handlers<typeof userOperations> = {
  listUsers: async (context, { query }) => ({
    data: await pageData(
      query,
      ({ after, limit }) => listAdministeredUsers(context, { after, limit, search: query.search ?? null }),
      {
        keyOf: ({ name }) => name,
        show: (user) => user,
      },
    ),
  }),
  createUser: async (context, { body: { groups: groupIds, administrator, rights: given, ...user } }) => {
    const rights = requestedRights({ administrator, rights: given }, null);
    const input = { ...user, rights, groups: [], createsGroups: false, groupIds };
    return answerOf(await createAdministeredUser(context, input));
  },
  getUser: async (context, { parameter }) => answerOf(await findAdministeredUser(context, parameter("userId"))),
  changeUser: async (context, { parameter, body: change, ...input }) => {
    const expectedVersions = requiredVersions(input);
    return answerOf(await changeUser(context, { userId: parameter("userId"), change, expectedVersions }));
  },
  setUserPassword: (context, { parameter, body }) =>
    setUserPassword(context, { name: { id: parameter("userId") }, ...body }),
  listFactors: async (context, { parameter }) => {
    const { id } = await requireAccount(context.r, { id: parameter("userId") });
    return { data: { items: (await secondFactorsOf(context, accountOwner(id))).map(shownFactor) } };
  },
  removeFactors: (context, { parameter, query: { app = null } }) =>
    takeSecondFactors(context, { of: "user", name: { id: parameter("userId") }, appName: app }),
  listAllFactors: async (context, { query }) => ({
    data: await pageData(
      query,
      ({ after, limit }) => listSecondFactors(context, { after: after === null ? null : placeOf(after), limit }),
      { keyOf: ({ subject, appName }) => `${subject} ${appName}`, show: shownFactor },
    ),
  }),
  removeFactorsOf: (context, { parameter, query: { app = null } }) =>
    takeSecondFactorsOf(context, parameter("subject"), app),
  listGroups: async (context, { query: { after = "0", limit = 100, search = null } }) => {
    const offset = Number(after);
    const items = await listGroups(context, { offset, limit, search });
    return { data: { items, next: items.length < limit ? null : String(offset + items.length) } };
  },
  createGroup: async (context, { body }) => answerOf(await createGroup(context, body)),
  getGroup: async (context, { parameter }) => answerOf(await findGroup(context, parameter("groupId"))),
  changeGroup: async (context, { parameter, body: change, ...input }) => {
    const expectedVersions = requiredVersions(input);
    return answerOf(await changeGroup(context, { groupId: parameter("groupId"), change, expectedVersions }));
  },
};

function answerOf<Content>({ content: data, version }: { readonly content: Content; readonly version: number }) {
  return { data, version };
}

/** The place in the list of all factors. Subjects contain no space. */
function placeOf(text: string) {
  const [subject = "", ...appName] = text.split(" ");
  return { subject, appName: appName.join(" ") };
}

/** A factor without its secret. */
export function shownFactor({ subject, ownerName, appName, confirmed, recoveryCodes }: ListedFactor) {
  return { subject, user: ownerName, app: appName, confirmed, recoveryCodesLeft: recoveryCodes.length };
}
