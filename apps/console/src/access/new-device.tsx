import { Alert, Button, Group, Modal, Stack, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconPlus } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { UserPicker } from "../accounts/user-picker.tsx";
import { useConnection } from "../connection/connection-context.tsx";
import { useTexts } from "../language/language.tsx";
import { FailureDetails, showSuccess } from "../notices/notices.tsx";

/** Registers a device, for databases that admit registered ones only. */
export function NewDevice() {
  const texts = useTexts();
  const [isOpen, dialog] = useDisclosure(false);
  return (
    <>
      <Button leftSection={<IconPlus size={16} />} onClick={dialog.open}>
        {texts.devices.register}
      </Button>
      <Modal
        opened={isOpen}
        onClose={dialog.close}
        title={texts.devices.register}
        closeOnClickOutside={false}
        closeButtonProps={{ "aria-label": texts.common.close }}
      >
        <NewDeviceForm onClose={dialog.close} />
      </Modal>
    </>
  );
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
  const submit = (event: FormEvent) => {
    event.preventDefault();
    mutate();
  };
  return (
    <form onSubmit={submit}>
      <Stack>
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
        {error !== null && (
          <Alert color="red" role="alert" title={texts.notices.saveFailed}>
            <FailureDetails error={error} />
          </Alert>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {texts.common.cancel}
          </Button>
          <Button type="submit" loading={isPending}>
            {texts.devices.register}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
