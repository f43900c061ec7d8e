import { Alert, Button, Code, Group, Modal, Stack, Text, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { type FormEvent, type ReactNode, useState } from "react";
import { useTexts } from "../language/language.tsx";
import { FailureDetails } from "../notices/notices.tsx";

export interface ConfirmedAct {
  readonly title: string;
  /** What the act does, and what else it ends or removes. */
  readonly consequences: ReactNode;
  /** Name of the act, on the button. */
  readonly confirm: string;
  /** A name that the person types, for an act that cannot be undone. */
  readonly typed?: string | undefined;
  act(): Promise<unknown>;
}

interface ConfirmDialogProps {
  /** `null` closes the dialog. */
  readonly confirmed: ConfirmedAct | null;
  onClose(): void;
}

/** Asks before an act that takes something away, and stays open with the text of a refusal. */
export function ConfirmDialog({ confirmed, onClose }: ConfirmDialogProps) {
  const texts = useTexts();
  return (
    <Modal
      opened={confirmed !== null}
      onClose={onClose}
      title={confirmed?.title}
      closeButtonProps={{ "aria-label": texts.common.close }}
    >
      {confirmed !== null && <ConfirmForm {...confirmed} onClose={onClose} />}
    </Modal>
  );
}

function ConfirmForm({
  consequences,
  confirm,
  typed,
  act,
  onClose,
}: ConfirmedAct & Pick<ConfirmDialogProps, "onClose">) {
  const texts = useTexts();
  const [text, setText] = useState("");
  const { mutate, isPending, error } = useMutation({ mutationFn: act, onSuccess: onClose });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    mutate();
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text size="sm" component="div">
          {consequences}
        </Text>
        {typed !== undefined && (
          <TextInput
            label={
              <>
                {texts.lists.typeName} <Code>{typed}</Code>
              </>
            }
            value={text}
            onChange={({ currentTarget }) => setText(currentTarget.value)}
            autoComplete="off"
            data-autofocus
          />
        )}
        {error !== null && (
          <Alert color="red" role="alert">
            <FailureDetails error={error} />
          </Alert>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {texts.common.cancel}
          </Button>
          <Button type="submit" color="red" loading={isPending} disabled={typed !== undefined && text !== typed}>
            {confirm}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
