import { Button, Code, CopyButton, Group } from "@mantine/core";
import { IconCheck, IconCopy } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useTexts } from "../language/language.tsx";

interface CopyableProps {
  /** Name of the text, for screen readers. */
  readonly label: string;
  readonly text: string;
  /** On the button. */
  readonly copy: string;
  /** Beside the button. */
  readonly children?: ReactNode;
}

/** A text that belongs elsewhere, with a button that copies it. */
export function Copyable({ label, text, copy, children }: CopyableProps) {
  const texts = useTexts();
  return (
    <>
      <Code block aria-label={label} tabIndex={0} style={{ whiteSpace: "pre-wrap", overflowWrap: "anywhere" }}>
        {text}
      </Code>
      <Group justify="space-between">
        <CopyButton value={text}>
          {({ copied, copy: toClipboard }) => (
            <Button
              variant="default"
              leftSection={copied ? <IconCheck size={16} /> : <IconCopy size={16} />}
              onClick={toClipboard}
            >
              {copied ? texts.notices.copied : copy}
            </Button>
          )}
        </CopyButton>
        {children}
      </Group>
    </>
  );
}
