import type {
  AdministeredAppRulesData,
  AdministeredBanData,
  AdministeredDeviceData,
  AppliedRuleData,
  AppRuleData,
  NewBanData,
  NewDeviceData,
} from "@sallyport/contract";
import type { CallLimits } from "../transport/deadline.ts";
import { type AdminCalls, type Page, type PageOptions, pathOf } from "./admin-calls.ts";
import type { OfUserOptions } from "./applications.ts";

/** Devices. */
export class Devices {
  constructor(private readonly calls: AdminCalls) {}

  list({ user, ...options }: OfUserOptions = {}): Promise<Page<AdministeredDeviceData>> {
    return this.calls.page("/devices", options, { user });
  }

  /** Registers a device for a user, or for all users. Needs a recent proof. */
  register(device: NewDeviceData, limits: CallLimits = {}): Promise<AdministeredDeviceData> {
    return this.calls.send({ ...limits, method: "POST", path: "/devices", body: device });
  }

  /** Removes a device by its `id`. Returns the number of ended sessions. Needs a recent proof. */
  async forget(id: string, limits: CallLimits = {}): Promise<number> {
    const request = { ...limits, method: "DELETE", path: pathOf("devices", id) } as const;
    return (await this.calls.send<{ readonly ended: number }>(request)).ended;
  }
}

/** Bans of users, devices, and users on devices. */
export class Bans {
  constructor(private readonly calls: AdminCalls) {}

  list(options: PageOptions = {}): Promise<Page<AdministeredBanData>> {
    return this.calls.page("/bans", options);
  }

  /** Replaces an earlier ban of the same subject, and ends the sessions concerned. Needs a recent proof. */
  add(ban: Omit<NewBanData, "rehearse">, limits: CallLimits = {}): Promise<AppliedRuleData> {
    return this.calls.send({ ...limits, method: "POST", path: "/bans", body: ban });
  }

  /** The sessions that the ban would end now. Changes nothing. Needs a recent proof. */
  rehearse(ban: Omit<NewBanData, "rehearse">, limits: CallLimits = {}): Promise<AppliedRuleData> {
    return this.calls.send({ ...limits, method: "POST", path: "/bans", body: { ...ban, rehearse: true } });
  }

  /** Removes a ban by its `id`. Needs a recent proof. */
  async remove(id: string, limits: CallLimits = {}): Promise<void> {
    await this.calls.send({ ...limits, method: "DELETE", path: pathOf("bans", id) });
  }
}

/** Rules about app names. */
export class AppRules {
  constructor(private readonly calls: AdminCalls) {}

  /** An item has all rules of one subject. */
  list(options: PageOptions = {}): Promise<Page<AdministeredAppRulesData>> {
    return this.calls.page("/appRules", options);
  }

  /** Allows or forbids an app name, or removes the rule, and ends the sessions concerned. Needs a recent proof. */
  set(rule: Omit<AppRuleData, "rehearse">, limits: CallLimits = {}): Promise<AppliedRuleData> {
    return this.calls.send({ ...limits, method: "POST", path: "/appRules", body: rule });
  }

  /** The sessions that the rule would end. Changes nothing. Needs a recent proof. */
  rehearse(rule: Omit<AppRuleData, "rehearse">, limits: CallLimits = {}): Promise<AppliedRuleData> {
    return this.calls.send({ ...limits, method: "POST", path: "/appRules", body: { ...rule, rehearse: true } });
  }
}
