import { Alert, Button, Group, Modal, PasswordInput, Stack, Text } from "@mantine/core";
import type { AdministeredUserData } from "@sallyport/client/admin";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { useConnection } from "../connection/connection-context.tsx";
import { useTexts } from "../language/language.tsx";
import { FailureDetails, showSuccess } from "../notices/notices.tsx";

interface PasswordDialogProps {
  readonly user: AdministeredUserData;
  readonly isOpen: boolean;
  onClose(): void;
}

export function PasswordDialog({ user, isOpen, onClose }: PasswordDialogProps) {
  const texts = useTexts();
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={texts.users.passwordOf(user.name)}
      closeOnClickOutside={false}
      closeButtonProps={{ "aria-label": texts.common.close }}
    >
      <PasswordForm user={user} onClose={onClose} />
    </Modal>
  );
}

function PasswordForm({ user: { userId, name }, onClose }: Omit<PasswordDialogProps, "isOpen">) {
  const texts = useTexts();
  const connection = useConnection();
  const queries = useQueryClient();
  const [password, setPassword] = useState("");
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => connection.administer((admin) => admin.users.setPassword(userId, password)),
    onSuccess: async () => {
      onClose();
      await queries.invalidateQueries({ queryKey: ["sessions"] });
      showSuccess(texts.users.passwordSet(name));
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    mutate();
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text size="sm">{texts.users.passwordHelp}</Text>
        <PasswordInput
          label={texts.users.password}
          value={password}
          onChange={({ currentTarget }) => setPassword(currentTarget.value)}
          autoComplete="new-password"
          required
          data-autofocus
        />
        {error !== null && (
          <Alert color="red" role="alert">
            <FailureDetails error={error} />
          </Alert>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {texts.common.cancel}
          </Button>
          <Button type="submit" loading={isPending}>
            {texts.users.setPassword}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
