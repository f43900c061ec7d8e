import { TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { UserPicker } from "../accounts/user-picker.tsx";
import { useConnection } from "../connection/connection-context.tsx";
import { useTexts } from "../language/language.tsx";
import { DialogButton, DialogForm } from "../page-parts/dialog.tsx";
import { showSuccess } from "../notices/notices.tsx";

/** Registers a device, for databases that admit registered ones only. */
export function NewDevice() {
  const texts = useTexts();
  return <DialogButton name={texts.devices.register}>{(close) => <NewDeviceForm onClose={close} />}</DialogButton>;
}

function NewDeviceForm({ onClose }: { onClose(): void }) {
  const texts = useTexts();
  const connection = useConnection();
  const queries = useQueryClient();
  const [deviceId, setDeviceId] = useState("");
  const [userId, setUserId] = useState<string | null>(null);
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => connection.administer((admin) => admin.devices.register({ deviceId, userId })),
    onSuccess: async () => {
      onClose();
      await queries.invalidateQueries({ queryKey: ["devices"] });
      showSuccess(texts.devices.isRegistered(deviceId));
    },
  });
  return (
    <DialogForm
      submit={texts.devices.register}
      isPending={isPending}
      error={error}
      failure={texts.notices.saveFailed}
      onSubmit={() => mutate()}
      onClose={onClose}
    >
      <TextInput
        label={texts.devices.device}
        description={texts.devices.deviceHelp}
        value={deviceId}
        onChange={({ currentTarget }) => setDeviceId(currentTarget.value)}
        autoComplete="off"
        required
        data-autofocus
      />
      <UserPicker label={texts.devices.forUser} isLabelled value={userId} onChange={setUserId} />
    </DialogForm>
  );
}
