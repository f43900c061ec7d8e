import "@xyflow/react/dist/style.css";
import { Stack, Text, Title, useComputedColorScheme } from "@mantine/core";
import {
  type AriaLabelConfig,
  Controls,
  type Edge,
  Handle,
  MarkerType,
  type Node,
  type NodeProps,
  Position,
  ReactFlow,
  useReactFlow,
} from "@xyflow/react";
import { type FocusEvent, useMemo } from "react";
import { useTexts } from "../language/language.tsx";
import { TextLink } from "../shell/links.tsx";
import { type DiagramClass, diagramOf } from "./diagram-layout.ts";
import { useModelEditing } from "./model-editing.ts";
import classes from "./diagram.module.css";

type ClassNode = Node<DiagramClass & Record<string, unknown>, "class">;

const nodeTypes = { class: ClassBox };
const arrow = { type: MarkerType.ArrowClosed, width: 18, height: 18 };

/** The classes with their bases and references. The list of classes says the same as a table. */
export function ModelDiagram() {
  const texts = useTexts();
  const scheme = useComputedColorScheme("light");
  const { states } = useModelEditing();
  const { nodes, edges } = useMemo(() => {
    const diagram = diagramOf(states);
    const boxes = diagram.classes.map(
      (data): ClassNode => ({
        id: data.name,
        type: "class",
        position: { x: data.x, y: data.y },
        width: data.width,
        height: data.height,
        data: { ...data },
      }),
    );
    const lines = diagram.lines.map(
      ({ id, from, to, attribute }): Edge =>
        attribute === null
          ? {
              id,
              source: to,
              target: from,
              type: "smoothstep",
              markerStart: { ...arrow, orient: "auto-start-reverse" },
            }
          : { id, source: from, target: to, label: attribute, className: classes["reference"] ?? "", markerEnd: arrow },
    );
    return { nodes: boxes, edges: lines };
  }, [states]);
  const labels: Partial<AriaLabelConfig> = {
    "controls.ariaLabel": texts.diagram.controls,
    "controls.zoomIn.ariaLabel": texts.diagram.zoomIn,
    "controls.zoomOut.ariaLabel": texts.diagram.zoomOut,
    "controls.fitView.ariaLabel": texts.diagram.fit,
  };
  return (
    <Stack className={classes["page"] ?? ""}>
      <div>
        <Title order={1} size="h2">
          {texts.diagram.title}
        </Title>
        <Text c="dimmed" size="sm">
          {texts.diagram.help}{" "}
          <TextLink to="/model" underline="always">
            {texts.diagram.asTable}
          </TextLink>
        </Text>
      </div>
      <div className={classes["frame"]}>
        <ReactFlow
          nodes={nodes}
          edges={edges}
          nodeTypes={nodeTypes}
          colorMode={scheme}
          aria-label={texts.diagram.title}
          ariaLabelConfig={labels}
          fitView
          minZoom={0.05}
          nodesDraggable={false}
          nodesConnectable={false}
          nodesFocusable={false}
          edgesFocusable={false}
          elementsSelectable={false}
          deleteKeyCode={null}
          disableKeyboardA11y
          proOptions={{ hideAttribution: true }}
        >
          <Controls showInteractive={false} />
        </ReactFlow>
      </div>
    </Stack>
  );
}

/** A class, whose name leads to its form. */
function ClassBox({ id, data }: NodeProps<ClassNode>) {
  const texts = useTexts();
  const flow = useReactFlow();
  // A click must not move what it points at.
  const bringIntoView = ({ currentTarget }: FocusEvent<HTMLElement>) => {
    const zoom = flow.getZoom();
    if (currentTarget.matches(":focus-visible"))
      void flow.fitView({ nodes: [{ id }], minZoom: Math.max(zoom, 0.5), maxZoom: Math.max(zoom, 0.5) });
  };
  return (
    <div className={classes["box"]}>
      <Handle type="target" position={Position.Top} isConnectable={false} className={classes["handle"]} />
      <TextLink
        className={classes["title"] ?? ""}
        to="/model/classes/$className"
        params={{ className: data.name }}
        onFocus={bringIntoView}
      >
        {data.name}
      </TextLink>
      {data.attributes.map(({ name, type }) => (
        <div key={name} className={classes["attribute"]}>
          <span>{name}</span>
          <span className={classes["type"]}>{type}</span>
        </div>
      ))}
      {data.hidden > 0 && <div className={classes["type"]}>{texts.diagram.hidden(data.hidden)}</div>}
      <Handle type="source" position={Position.Bottom} isConnectable={false} className={classes["handle"]} />
    </div>
  );
}
