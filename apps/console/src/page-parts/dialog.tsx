import { Alert, Button, Group, Modal, type ModalProps, Stack } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconPlus, type IconProps } from "@tabler/icons-react";
import { type ComponentType, type FormEvent, type ReactNode, useId } from "react";
import { useTexts } from "../language/language.tsx";
import { FailureDetails } from "../notices/notices.tsx";
import { SlowNotice } from "../notices/slow-notice.tsx";
import classes from "./dialog.module.css";

interface DialogProps extends Pick<ModalProps, "size" | "zIndex" | "fullScreen"> {
  readonly title: ReactNode;
  readonly isOpen: boolean;
  /** Absent: Esc closes it. */
  readonly closesOnEscape?: boolean;
  readonly children: ReactNode;
  onClose(): void;
}

/** A dialog that a click beside it does not close: what was typed stays. */
export function Dialog({ title, isOpen, closesOnEscape = true, children, onClose, ...modal }: DialogProps) {
  const texts = useTexts();
  /** For the place of the dialog among those of a `Modal.Stack`. */
  const stackId = useId();
  return (
    <Modal
      {...modal}
      stackId={stackId}
      opened={isOpen}
      onClose={onClose}
      title={title}
      closeOnClickOutside={false}
      closeOnEscape={closesOnEscape}
      closeButtonProps={{ "aria-label": texts.common.close }}
    >
      {children}
    </Modal>
  );
}

interface DialogButtonProps {
  /** On the button, and the title of its dialog. */
  readonly name: string;
  readonly Icon?: ComponentType<IconProps>;
  children(close: () => void): ReactNode;
}

/** A button that opens a dialog. */
export function DialogButton({ name, Icon = IconPlus, children }: DialogButtonProps) {
  const [isOpen, dialog] = useDisclosure(false);
  return (
    <>
      <Button leftSection={<Icon size={16} />} onClick={dialog.open}>
        {name}
      </Button>
      <Dialog title={name} isOpen={isOpen} onClose={dialog.close}>
        {children(dialog.close)}
      </Dialog>
    </>
  );
}

interface DialogFormProps {
  /** Name of the act, on the button. */
  readonly submit: string;
  readonly color?: string;
  readonly isDisabled?: boolean;
  readonly isPending: boolean;
  readonly error: unknown;
  /** Title above the error; absent: the error alone. */
  readonly failure?: string;
  readonly children: ReactNode;
  onSubmit(event: FormEvent<HTMLFormElement>): void;
  onClose(): void;
}

/** The form of a dialog: its fields, the server's refusal, and the buttons. */
export function DialogForm({
  submit,
  color = "indigo",
  isDisabled = false,
  isPending,
  error,
  failure,
  children,
  onSubmit,
  onClose,
}: DialogFormProps) {
  const texts = useTexts();
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit(event);
      }}
    >
      <Stack>
        {children}
        {error !== null && (
          <Alert color="red" role="alert" title={failure}>
            <FailureDetails error={error} />
          </Alert>
        )}
        <SlowNotice isWaiting={isPending} />
        <Group justify="flex-end" className={classes["buttons"] ?? ""}>
          <Button variant="default" onClick={onClose}>
            {texts.common.cancel}
          </Button>
          <Button type="submit" color={color} loading={isPending} disabled={isDisabled}>
            {submit}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
