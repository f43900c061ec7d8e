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
import { type AdminCalls, type Page, type PageOptions, paged } from "./admin-calls.ts";
import type { OfUserOptions } from "./applications.ts";

/** Devices. */
export class Devices {
  constructor(private readonly calls: AdminCalls) {}

  list({ user, ...options }: OfUserOptions = {}): Promise<Page<AdministeredDeviceData>> {
    return this.calls.send("GET /admin/v1/devices", paged(options, { user }));
  }

  /** Registers a device for a user, or for all users. Needs a recent proof. */
  register(device: NewDeviceData, limits: CallLimits = {}): Promise<AdministeredDeviceData> {
    return this.calls.send("POST /admin/v1/devices", { ...limits, body: device });
  }

  /** Removes a device by its `id`. Returns the number of ended sessions. Needs a recent proof. */
  async forget(id: string, limits: CallLimits = {}): Promise<number> {
    return (await this.calls.send("DELETE /admin/v1/devices/{id}", { ...limits, path: { id } })).ended;
  }
}

/** Bans of users, devices, and users on devices. */
export class Bans {
  constructor(private readonly calls: AdminCalls) {}

  list(options: PageOptions = {}): Promise<Page<AdministeredBanData>> {
    return this.calls.send("GET /admin/v1/bans", paged(options));
  }

  /** Replaces an earlier ban of the same subject, and ends the sessions concerned. Needs a recent proof. */
  add(ban: Omit<NewBanData, "rehearse">, limits: CallLimits = {}): Promise<AppliedRuleData> {
    return this.calls.send("POST /admin/v1/bans", { ...limits, body: ban });
  }

  /** The sessions that the ban would end now. Changes nothing. Needs a recent proof. */
  rehearse(ban: Omit<NewBanData, "rehearse">, limits: CallLimits = {}): Promise<AppliedRuleData> {
    return this.calls.send("POST /admin/v1/bans", { ...limits, body: { ...ban, rehearse: true } });
  }

  /** Removes a ban by its `id`. Needs a recent proof. */
  async remove(id: string, limits: CallLimits = {}): Promise<void> {
    await this.calls.send("DELETE /admin/v1/bans/{id}", { ...limits, path: { id } });
  }
}

/** Rules about app names. */
export class AppRules {
  constructor(private readonly calls: AdminCalls) {}

  /** An item has all rules of one subject. */
  list(options: PageOptions = {}): Promise<Page<AdministeredAppRulesData>> {
    return this.calls.send("GET /admin/v1/appRules", paged(options));
  }

  /** Allows or forbids an app name, or removes the rule, and ends the sessions concerned. Needs a recent proof. */
  set(rule: Omit<AppRuleData, "rehearse">, limits: CallLimits = {}): Promise<AppliedRuleData> {
    return this.calls.send("POST /admin/v1/appRules", { ...limits, body: rule });
  }

  /** The sessions that the rule would end. Changes nothing. Needs a recent proof. */
  rehearse(rule: Omit<AppRuleData, "rehearse">, limits: CallLimits = {}): Promise<AppliedRuleData> {
    return this.calls.send("POST /admin/v1/appRules", { ...limits, body: { ...rule, rehearse: true } });
  }
}
