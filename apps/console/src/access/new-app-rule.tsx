import { Alert, List, SegmentedControl, Select, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import type { AppliedRuleData } from "@sallyport/client/admin";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { GroupSelect } from "../accounts/group-picker.tsx";
import { UserPicker } from "../accounts/user-picker.tsx";
import { useConnection } from "../connection/connection-context.tsx";
import { useTexts } from "../language/language.tsx";
import { DialogButton, DialogForm } from "../page-parts/dialog.tsx";
import { showSuccess } from "../notices/notices.tsx";

/** App names that the choice offers. */
const offeredApps = 200;
/** Sessions that the rehearsal names. */
const namedSessions = 5;

/** Allows or forbids an app name. The sessions that end are told before. */
export function NewAppRule() {
  const texts = useTexts();
  return <DialogButton name={texts.appRules.create}>{(close) => <NewAppRuleForm onClose={close} />}</DialogButton>;
}

function NewAppRuleForm({ onClose }: { onClose(): void }) {
  const texts = useTexts();
  const connection = useConnection();
  const queries = useQueryClient();
  const { data: apps } = useQuery({
    queryKey: ["apps", "names"],
    queryFn: ({ signal }) => connection.administer((admin) => admin.apps.list({ limit: offeredApps, signal })),
  });
  const form = useForm({
    initialValues: {
      app: null as string | null,
      access: "forbid" as "allow" | "forbid",
      kind: "account" as "account" | "group" | "everyone",
      userId: null as string | null,
      deviceId: "",
      groupId: null as string | null,
      reason: "",
    },
  });
  const ruleOf = ({ app, access, kind, userId, deviceId, groupId, reason }: typeof form.values) => ({
    app: app ?? "",
    access,
    reason,
    ...(kind === "account" ? { userId, deviceId: deviceId === "" ? null : deviceId } : {}),
    ...(kind === "group" ? { groupId } : {}),
  });
  const rehearsal = useMutation({
    mutationFn: (values: typeof form.values) =>
      connection.administer((admin) => admin.appRules.rehearse(ruleOf(values))),
  });
  const addition = useMutation({
    mutationFn: (values: typeof form.values) => connection.administer((admin) => admin.appRules.set(ruleOf(values))),
    onSuccess: async ({ ended }) => {
      onClose();
      await Promise.all(["app-rules", "sessions"].map((key) => queries.invalidateQueries({ queryKey: [key] })));
      showSuccess(texts.sessions.ended(ended));
    },
  });
  const { values } = form;
  const hasSubject =
    values.kind === "everyone" ||
    (values.kind === "group" ? values.groupId !== null : values.userId !== null || values.deviceId !== "");
  const isRehearsed = rehearsal.data !== undefined && rehearsal.variables === values;
  return (
    <DialogForm
      submit={isRehearsed ? texts.appRules.accept : texts.bans.check}
      color={isRehearsed && rehearsal.data.ended > 0 ? "red" : "indigo"}
      isDisabled={!hasSubject || values.app === null}
      isPending={rehearsal.isPending || addition.isPending}
      error={addition.error ?? rehearsal.error}
      failure={texts.notices.saveFailed}
      onSubmit={form.onSubmit(() => (isRehearsed ? addition.mutate(values) : rehearsal.mutate(values)))}
      onClose={onClose}
    >
      <Select
        label={texts.firstSteps.appName}
        data={(apps?.items ?? []).map(({ name }) => name)}
        searchable
        nothingFoundMessage={texts.lists.nothingFound}
        required
        {...form.getInputProps("app")}
      />
      <SegmentedControl
        aria-label={texts.appRules.access}
        data={[
          { value: "forbid", label: texts.appRules.forbid },
          { value: "allow", label: texts.appRules.allow },
        ]}
        {...form.getInputProps("access")}
      />
      <SegmentedControl
        aria-label={texts.appRules.subject}
        data={[
          { value: "account", label: texts.bans.account },
          { value: "group", label: texts.appRules.group },
          { value: "everyone", label: texts.appRules.everyone },
        ]}
        {...form.getInputProps("kind")}
      />
      {values.kind === "account" && (
        <>
          <UserPicker
            label={texts.sessions.user}
            isLabelled
            value={values.userId}
            onChange={(userId) => form.setFieldValue("userId", userId)}
          />
          <TextInput
            label={texts.devices.device}
            description={texts.bans.deviceHelp}
            autoComplete="off"
            {...form.getInputProps("deviceId")}
          />
        </>
      )}
      {values.kind === "group" && (
        <GroupSelect value={values.groupId} onChange={(groupId) => form.setFieldValue("groupId", groupId)} />
      )}
      <TextInput label={texts.bans.reason} maxLength={500} {...form.getInputProps("reason")} />
      {isRehearsed && <Rehearsal {...rehearsal.data} />}
    </DialogForm>
  );
}

/** The sessions that a rule would end. */
function Rehearsal({ ended, sessions }: AppliedRuleData) {
  const texts = useTexts();
  return (
    <Alert color={ended === 0 ? "green" : "yellow"} role="status">
      <Stack gap={4}>
        <Text size="sm">{texts.bans.wouldEnd(ended)}</Text>
        {ended > 0 && (
          <List size="sm">
            {sessions.slice(0, namedSessions).map(({ user, deviceId, appNames, since }) => (
              <List.Item key={`${user} ${deviceId} ${since}`}>
                {[user, deviceId, appNames.join(", ")].filter(Boolean).join(" · ")}
              </List.Item>
            ))}
          </List>
        )}
      </Stack>
    </Alert>
  );
}
