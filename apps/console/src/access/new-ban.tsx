import { Alert, SegmentedControl, Text, TextInput } from "@mantine/core";
import { DateTimePicker } from "@mantine/dates";
import { useForm } from "@mantine/form";
import { IconBan } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { UserPicker } from "../accounts/user-picker.tsx";
import { useConnection } from "../connection/connection-context.tsx";
import { useTexts } from "../language/language.tsx";
import { DialogButton, DialogForm } from "../page-parts/dialog.tsx";
import { showSuccess } from "../notices/notices.tsx";

/** Bans a user, a device, a user on a device, or an address. The sessions that end are told before. */
export function NewBan() {
  const texts = useTexts();
  return (
    <DialogButton name={texts.bans.create} Icon={IconBan}>
      {(close) => <NewBanForm onClose={close} />}
    </DialogButton>
  );
}

function NewBanForm({ onClose }: { onClose(): void }) {
  const texts = useTexts();
  const connection = useConnection();
  const queries = useQueryClient();
  const form = useForm({
    initialValues: {
      kind: "account",
      userId: null as string | null,
      deviceId: "",
      address: "",
      reason: "",
      until: null as string | null,
    },
  });
  const banOf = ({ kind, userId, deviceId, address, reason, until }: typeof form.values) => ({
    ...(kind === "account" ? { userId, deviceId: deviceId === "" ? null : deviceId } : { address }),
    reason,
    until: until === null ? null : new Date(until).toISOString(),
  });
  const rehearsal = useMutation({
    mutationFn: (values: typeof form.values) => connection.administer((admin) => admin.bans.rehearse(banOf(values))),
  });
  const addition = useMutation({
    mutationFn: (values: typeof form.values) => connection.administer((admin) => admin.bans.add(banOf(values))),
    onSuccess: async ({ ended }) => {
      onClose();
      await Promise.all(["bans", "sessions"].map((key) => queries.invalidateQueries({ queryKey: [key] })));
      showSuccess(texts.sessions.ended(ended));
    },
  });
  const { values } = form;
  const hasSubject =
    values.kind === "account" ? values.userId !== null || values.deviceId !== "" : values.address !== "";
  const error = addition.error ?? rehearsal.error;
  const isRehearsed = rehearsal.data !== undefined && rehearsal.variables === values;
  return (
    <DialogForm
      submit={isRehearsed ? texts.bans.create : texts.bans.check}
      color={isRehearsed ? "red" : "indigo"}
      isDisabled={!hasSubject}
      isPending={rehearsal.isPending || addition.isPending}
      error={error}
      failure={texts.notices.saveFailed}
      onSubmit={form.onSubmit(() => (isRehearsed ? addition.mutate(values) : rehearsal.mutate(values)))}
      onClose={onClose}
    >
      <SegmentedControl
        aria-label={texts.bans.subject}
        data={[
          { value: "account", label: texts.bans.account },
          { value: "address", label: texts.bans.address },
        ]}
        {...form.getInputProps("kind")}
      />
      {values.kind === "account" ? (
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
      ) : (
        <TextInput
          label={texts.bans.address}
          description={texts.bans.addressHelp}
          autoComplete="off"
          {...form.getInputProps("address")}
        />
      )}
      <TextInput label={texts.bans.reason} maxLength={500} {...form.getInputProps("reason")} />
      <DateTimePicker
        label={texts.bans.until}
        placeholder={texts.bans.noEnd}
        clearable
        popoverProps={{ withinPortal: true }}
        {...form.getInputProps("until")}
      />
      {isRehearsed && (
        <Alert color="yellow" role="status">
          <Text size="sm">{texts.bans.wouldEnd(rehearsal.data.ended)}</Text>
        </Alert>
      )}
    </DialogForm>
  );
}
