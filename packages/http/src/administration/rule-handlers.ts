import type { ruleOperations } from "@sallyport/contract";
import {
  addBan,
  type AppliedRule,
  forgetDevice,
  listAppRules,
  listBans,
  listDevices,
  type ListedAppRules,
  type ListedBan,
  type ListedDevice,
  ownAccess,
  registerDevice,
  removeBan,
  setAppRule,
  subjectOf,
} from "@sallyport/core";
import type { Handlers } from "../route.ts";
import { pageData, timeText } from "./answers.ts";

const keyOf = ({ id }: { readonly id: string }) => id;

/** Devices, bans and app rules. */
export const ruleHandlers: Handlers<typeof ruleOperations> = {
  listDevices: async (context, { query: { user, ...query } }) => {
    const of = user === undefined ? {} : { user: { id: user } };
    return {
      data: await pageData(query, (page) => listDevices(context, { ...page, ...of }), { keyOf, show: shownDevice }),
    };
  },
  registerDevice: async (context, { body }) => ({
    data: shownDevice(await registerDevice(context, { user: subjectOf(body).user, device: body.deviceId })),
  }),
  forgetDevice: async (context, { parameter }) => ({
    data: { ended: await forgetDevice(context, { id: parameter("id") }) },
  }),
  listBans: async (context, { query }) => ({
    data: await pageData(query, (page) => listBans(context, page), { keyOf, show: shownBan }),
  }),
  addBan: async (context, { body: { userId, deviceId, address, from, until, ...body } }) => ({
    data: shownRule(
      await addBan(context, {
        ...body,
        ...subjectOf({ userId, deviceId }),
        address: address ?? undefined,
        own: ownAccess(context),
        from: from === null ? null : Date.parse(from),
        until: until === null ? null : Date.parse(until),
      }),
    ),
  }),
  removeBan: (context, { parameter }) => removeBan(context, { id: parameter("id") }),
  listAppRules: async (context, { query }) => ({
    data: await pageData(query, (page) => listAppRules(context, page), { keyOf, show: shownRules }),
  }),
  setAppRule: async (context, { body: { userId, deviceId, groupId, ...body } }) => {
    const rule = { ...body, ...subjectOf({ userId, deviceId, groupId }), own: ownAccess(context).session };
    return { data: shownRule(await setAppRule(context, rule)) };
  },
};

const shownTime = (time: number | null) => (time === null ? null : timeText(time));

function shownDevice({ id, deviceId, userId, userName, registered, firstSeen, lastSeen, says }: ListedDevice) {
  const times = { firstSeen: shownTime(firstSeen), lastSeen: shownTime(lastSeen) };
  return { id, deviceId, userId, user: userName || null, registered, ...times, says };
}

function shownBan({ userName, from, until, ...ban }: ListedBan) {
  return { ...ban, user: userName || null, from: timeText(from), until: shownTime(until) };
}

function shownRules({ userName, groupName, ...rules }: ListedAppRules) {
  return { ...rules, user: userName || null, group: groupName || null };
}

function shownRule({ id, count, sessions }: AppliedRule) {
  return {
    id,
    ended: count,
    sessions: sessions.map(({ userId, userName: user, deviceId, appNames, openedAt }) => {
      return { userId, user, deviceId, appNames, since: timeText(openedAt) };
    }),
  };
}
