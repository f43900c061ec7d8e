import type { Check } from "./check.ts";
import { inputChecks } from "./sections/inputs.ts";
import { besideWriterChecks } from "./sections/beside-writers.ts";
import { accountFindingChecks } from "./sections/account-finding.ts";
import { accountRemovalChecks } from "./sections/account-removal.ts";
import { accountChecks, customAccountChecks } from "./sections/accounts.ts";
import { admissionChecks } from "./sections/admission.ts";
import { callbackChecks } from "./sections/provider-callbacks.ts";
import { appKeyChecks } from "./sections/app-keys.ts";
import { exportedRecordChecks } from "./sections/archive/exported-records.ts";
import { exportingChecks } from "./sections/archive/exporting.ts";
import { importingChecks } from "./sections/archive/importing.ts";
import { auditChecks } from "./sections/audit.ts";
import { capabilityChecks } from "./sections/capabilities.ts";
import { changeInterleavingChecks } from "./sections/changes/interleaving.ts";
import { changeReadersChecks } from "./sections/changes/readers.ts";
import { changeReadingChecks } from "./sections/changes/reading.ts";
import { channelBlockChecks } from "./sections/channels/blocks.ts";
import { channelLifeChecks } from "./sections/channels/life.ts";
import { channelNumberChecks } from "./sections/channels/numbers.ts";
import { durabilityChecks } from "./sections/durability.ts";
import { deletingChecks } from "./sections/deletion/deleting.ts";
import { deletionRaceChecks } from "./sections/deletion/races.ts";
import { recyclingChecks } from "./sections/deletion/recycling.ts";
import { referrerChecks } from "./sections/deletion/referrers.ts";
import { restoringChecks } from "./sections/deletion/restoring.ts";
import { sweepingChecks } from "./sections/deletion/sweeping.ts";
import { indexChecks } from "./sections/indexes.ts";
import { settingsChecks } from "./sections/settings.ts";
import { kernelSection } from "./sections/kernel/kernel-section.ts";
import { lifecycleChecks } from "./sections/lifecycle.ts";
import { lockChecks } from "./sections/locks.ts";
import { modelChecks } from "./sections/model.ts";
import { objectBoundChecks } from "./sections/objects/bounds.ts";
import { objectInsertionChecks } from "./sections/objects/insertion.ts";
import { objectLinkChecks } from "./sections/objects/links.ts";
import { objectMemberChecks } from "./sections/objects/members.ts";
import { objectOutlineChecks } from "./sections/objects/outlines.ts";
import { pageUseChecks } from "./sections/objects/page-uses.ts";
import { objectReadingChecks } from "./sections/objects/reading.ts";
import { objectSizeChecks } from "./sections/objects/sizes.ts";
import { objectReadersChecks } from "./sections/objects/readers.ts";
import { objectUpdatingChecks } from "./sections/objects/updating.ts";
import { objectValueChecks } from "./sections/objects/values.ts";
import { objectVisibilityChecks } from "./sections/objects/visibility.ts";
import { savepointFailureChecks } from "./sections/savepoints/failing.ts";
import { savepointVisibilityChecks } from "./sections/savepoints/visibility.ts";
import { savepointRollbackChecks } from "./sections/savepoints/rollback.ts";
import { withValueIndexes } from "./sections/queries/indexed.ts";
import { queryCombinationChecks } from "./sections/queries/combinations.ts";
import { queryMetaFieldChecks } from "./sections/queries/meta-fields.ts";
import { queryOrderChecks } from "./sections/queries/order.ts";
import { queryPathChecks } from "./sections/queries/paths.ts";
import { queryTextChecks } from "./sections/queries/texts.ts";
import { queryValueChecks } from "./sections/queries/values.ts";
import { queryVisibilityChecks } from "./sections/queries/visibility.ts";
import { recordClaimingChecks } from "./sections/records/claiming.ts";
import { recordKeepingChecks } from "./sections/records/keeping.ts";
import { recordRemovingChecks } from "./sections/records/removing.ts";
import { recordQuotaChecks } from "./sections/records/quotas.ts";
import { requestResultChecks } from "./sections/records/results.ts";
import { recordVersionChecks } from "./sections/records/versions.ts";
import { sessionBasisChecks } from "./sections/sessions/basis.ts";
import { sessionEndingChecks } from "./sections/sessions/ending.ts";
import { authenticationMethodChecks } from "./sections/sessions/authentication-methods.ts";
import { sessionExpiryChecks } from "./sections/sessions/expiry.ts";
import { sessionLimitChecks } from "./sections/sessions/limits.ts";
import { sessionRenewingChecks } from "./sections/sessions/renewing.ts";
import { sessionDeviceChecks } from "./sections/sessions/devices.ts";
import { reservedSeatChecks } from "./sections/sessions/reserved-seats.ts";
import { seatChecks } from "./sections/sessions/seats.ts";
import { processClockChecks, processSharingChecks } from "./sections/processes/sharing.ts";
import { processTransactionChecks } from "./sections/processes/transactions.ts";
import { exemptionChecks } from "./sections/exemptions.ts";
import { throttleChecks } from "./sections/throttle.ts";
import { timeChecks } from "./sections/time.ts";
import { batchChecks } from "./sections/batches.ts";
import { transactionChecks } from "./sections/transactions.ts";
import { unstorableTextChecks } from "./sections/unstorable-texts.ts";

/** All checks of the contracts of kernels and storages, in reading order. */
export const checks: readonly Check[] = [
  ...kernelSection,
  ...capabilityChecks,
  ...lifecycleChecks,
  ...timeChecks,
  ...settingsChecks,
  ...transactionChecks,
  ...savepointRollbackChecks,
  ...savepointFailureChecks,
  ...savepointVisibilityChecks,
  ...batchChecks,
  ...appKeyChecks,
  ...accountChecks,
  ...accountFindingChecks,
  ...accountRemovalChecks,
  ...customAccountChecks,
  ...admissionChecks,
  ...callbackChecks,
  ...sessionExpiryChecks,
  ...sessionLimitChecks,
  ...sessionDeviceChecks,
  ...sessionEndingChecks,
  ...sessionBasisChecks,
  ...sessionRenewingChecks,
  ...authenticationMethodChecks,
  ...seatChecks,
  ...reservedSeatChecks,
  ...channelLifeChecks,
  ...channelNumberChecks,
  ...channelBlockChecks,
  ...recordKeepingChecks,
  ...recordVersionChecks,
  ...recordRemovingChecks,
  ...recordQuotaChecks,
  ...recordClaimingChecks,
  ...requestResultChecks,
  ...objectInsertionChecks,
  ...objectReadingChecks,
  ...objectVisibilityChecks,
  ...objectValueChecks,
  ...objectUpdatingChecks,
  ...objectReadersChecks,
  ...objectLinkChecks,
  ...objectOutlineChecks,
  ...objectSizeChecks,
  ...objectBoundChecks,
  ...pageUseChecks,
  ...objectMemberChecks,
  ...queryValueChecks,
  ...queryTextChecks,
  ...queryMetaFieldChecks,
  ...queryCombinationChecks,
  ...queryPathChecks,
  ...queryOrderChecks,
  ...queryVisibilityChecks,
  ...withValueIndexes([...queryValueChecks, ...queryTextChecks, ...queryCombinationChecks, ...queryOrderChecks]),
  ...lockChecks,
  ...deletingChecks,
  ...referrerChecks,
  ...restoringChecks,
  ...deletionRaceChecks,
  ...sweepingChecks,
  ...recyclingChecks,
  ...changeReadingChecks,
  ...changeReadersChecks,
  ...changeInterleavingChecks,
  ...modelChecks,
  ...indexChecks,
  ...besideWriterChecks,
  ...unstorableTextChecks,
  ...inputChecks,
  ...throttleChecks,
  ...exemptionChecks,
  ...auditChecks,
  ...exportedRecordChecks,
  ...exportingChecks,
  ...importingChecks,
  ...processSharingChecks,
  ...processTransactionChecks,
  ...processClockChecks,
  ...durabilityChecks,
];
