import { Paper, Title, UnstyledButton } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconChevronDown, IconChevronRight } from "@tabler/icons-react";
import { type ReactNode, useId } from "react";
import classes from "./closed-section.module.css";

interface ClosedSectionProps {
  readonly title: string;
  /** Called when the section opens. It costs nothing before. */
  children(): ReactNode;
}

/** A part of a page that a person opens. */
export function ClosedSection({ title, children }: ClosedSectionProps) {
  const [isOpen, { toggle }] = useDisclosure(false);
  const id = useId();
  const Icon = isOpen ? IconChevronDown : IconChevronRight;
  return (
    <Paper withBorder radius="md" component="section" aria-label={title}>
      <Title order={2} size="h4">
        <UnstyledButton
          className={classes["head"] ?? ""}
          aria-expanded={isOpen}
          aria-controls={isOpen ? id : undefined}
          onClick={toggle}
        >
          <Icon size={16} aria-hidden />
          {title}
        </UnstyledButton>
      </Title>
      {isOpen && (
        <div id={id} className={classes["content"]}>
          {children()}
        </div>
      )}
    </Paper>
  );
}
