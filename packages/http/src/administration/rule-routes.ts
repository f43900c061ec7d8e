import {
  administeredDevice,
  appliedRule,
  appRuleRequest,
  appRulesResponse,
  bansResponse,
  deviceParameters,
  devicesResponse,
  emptyResponse,
  endedResponse,
  newBanRequest,
  newDeviceRequest,
  pageParameters,
} from "@sallyport/contract";
import {
  type AppliedRule,
  banSubject,
  enrolDevice,
  liftBan,
  listAppRules,
  listBans,
  type ListedAppRules,
  type ListedBan,
  type ListedDevice,
  listDevices,
  removeDevice,
  ruleSubject,
} from "@sallyport/core";
import type { Route } from "../routes/route.ts";
import { administrationRoute, pageData, timeText } from "./administration-route.ts";

const keyOf = ({ id }: { readonly id: string }) => id;

/** Routes of devices. */
export function deviceRoutes(): Route[] {
  return [
    administrationRoute({
      method: "GET",
      path: "/devices",
      operation: "listDevices",
      summary: "List the known and registered devices",
      query: deviceParameters,
      data: devicesResponse,
      errors: [],
      handle: async (context, { query: { user, ...query } }) => {
        const of = user === undefined ? {} : { user: { id: user } };
        return {
          data: await pageData(query, (page) => listDevices(context, { ...page, ...of }), { keyOf, show: shownDevice }),
        };
      },
    }),
    administrationRoute({
      method: "POST",
      path: "/devices",
      operation: "registerDevice",
      summary: "Register a device",
      description: "For databases that admit registered devices only.",
      needsProof: true,
      body: { schema: newDeviceRequest, faultOrder: [] },
      data: administeredDevice,
      errors: [713],
      handle: async (context, { body }) => ({ data: shownDevice(await enrolDevice(context, body)) }),
    }),
    administrationRoute({
      method: "DELETE",
      path: "/devices/{id}",
      operation: "forgetDevice",
      summary: "Remove a device",
      description:
        "Where only registered devices are admitted, ends its sessions. The device becomes known again at its next log-in.",
      needsProof: true,
      data: endedResponse,
      errors: [],
      handle: async (context, { parameter }) => ({ data: { ended: await removeDevice(context, parameter("id")) } }),
    }),
  ];
}

/** Routes of bans. */
export function banRoutes(): Route[] {
  return [
    administrationRoute({
      method: "GET",
      path: "/bans",
      operation: "listBans",
      summary: "List the bans",
      query: pageParameters,
      data: bansResponse,
      errors: [],
      handle: async (context, { query }) => ({
        data: await pageData(query, (page) => listBans(context, page), { keyOf, show: shownBan }),
      }),
    }),
    administrationRoute({
      method: "POST",
      path: "/bans",
      operation: "addBan",
      summary: "Ban a user, a device, a user on a device, or an address",
      description:
        "Ends the sessions concerned, at once or when the ban begins. Replaces an earlier ban of the same subject. Administrators cannot ban themselves or their address.",
      needsProof: true,
      body: { schema: newBanRequest, faultOrder: [] },
      data: appliedRule,
      errors: [],
      handle: async (context, { body: { from, until, ...body } }) => ({
        data: shownRule(
          await banSubject(context, {
            ...body,
            from: from === null ? null : Date.parse(from),
            until: until === null ? null : Date.parse(until),
          }),
        ),
      }),
    }),
    administrationRoute({
      method: "DELETE",
      path: "/bans/{id}",
      operation: "removeBan",
      summary: "Remove a ban",
      description: "Takes effect with the next log-in.",
      needsProof: true,
      data: emptyResponse,
      errors: [],
      handle: async (context, { parameter }) => {
        await liftBan(context, parameter("id"));
        return { data: {} };
      },
    }),
  ];
}

/** Routes of app rules. */
export function appRuleRoutes(): Route[] {
  return [
    administrationRoute({
      method: "GET",
      path: "/appRules",
      operation: "listAppRules",
      summary: "List the app rules",
      description: "An item has all rules of one subject. Without a user, a device and a group, they concern everyone.",
      query: pageParameters,
      data: appRulesResponse,
      errors: [],
      handle: async (context, { query }) => ({
        data: await pageData(query, (page) => listAppRules(context, page), { keyOf, show: shownRules }),
      }),
    }),
    administrationRoute({
      method: "POST",
      path: "/appRules",
      operation: "setAppRule",
      summary: "Allow or forbid an app name, or remove the rule",
      description:
        "Concerns a user, a device, a user on a device, a group, or everyone. Ends the sessions that have the app name and may no longer have it. Administrators cannot take their own access.",
      needsProof: true,
      body: { schema: appRuleRequest, faultOrder: [] },
      data: appliedRule,
      errors: [208],
      handle: async (context, { body }) => ({ data: shownRule(await ruleSubject(context, body)) }),
    }),
  ];
}

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
