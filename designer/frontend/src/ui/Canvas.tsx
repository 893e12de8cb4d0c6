// The diagram: xyflow pans and zooms, everything in it is ours. Steps are a real tree of elements for screen readers, laid over the
// wires; the places where something can be put lie above both.

import { ReactFlow, ReactFlowProvider, useReactFlow, useStoreApi, ViewportPortal } from "@xyflow/react";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { State } from "../app/session";
import { t } from "../app/start";
import { layoutOf, type Layout } from "../model/layout";
import { treeOf, type Place, type Tree } from "../model/tree";
import { CARD_WIDTH } from "../model/layout";
import { chipsOf, rowsOf, type Chip } from "../app/describe";
import { DragLayer, useDrag } from "./drag";
import { useApp, useSession } from "./hooks";
import { Choices } from "./Choices";
import { Jumps } from "./Jumps";
import { Overview } from "./Overview";
import { sceneOf, type Inside } from "../app/scene";
import { Rules, Slots, Terminals, Wires } from "./Wires";
import { StepTree } from "./StepTree";
import { Icon } from "./Icon";

/** How far the dotted ground goes on around the flow. It is part of what is pushed about: one that kept still would be painted with every frame. */
const BEYOND = 22 * 200;

export interface Drawn {
  readonly tree: Tree;
  readonly layout: Layout;
  readonly chips: ReadonlyMap<string, readonly Chip[]>;
  readonly scene: Inside;
}

/** The layout of what the session shows; worked out again only when the document or what is collapsed changes. */
export function useDrawn(): Drawn {
  const { session } = useApp();
  const document = useSession((state: State) => state.document);
  const collapsed = useSession((state: State) => state.collapsed);
  const choices = useSession((state: State) => JSON.stringify(Object.keys(state.shown?.choices ?? {}).sort()));
  const before = useRef<Inside>(undefined);
  return useMemo(() => {
    const tree = treeOf(document);
    const catalogue = session.start.catalogue;
    const chips = new Map(tree.places.map((place) => [place.key, chipsOf(place, tree, catalogue)]));
    const rows = (place: Place): number => rowsOf(chips.get(place.key)!, CARD_WIDTH - 20);
    const layout = layoutOf(tree, { collapsed, rows, choices: new Set(JSON.parse(choices) as string[]), gone: session.wayMarks?.gone });
    before.current = sceneOf(tree, layout, chips, before.current);
    return { tree, chips, layout, scene: before.current };
  }, [document, collapsed, choices, session]);
}

export function Canvas(): React.JSX.Element {
  return (
    <ReactFlowProvider>
      <Surface />
    </ReactFlowProvider>
  );
}

function Surface(): React.JSX.Element {
  const { session } = useApp();
  const drawn = useDrawn();
  const drag = useDrag(drawn);
  const { layout } = drawn;
  const [showsOverview, setShowsOverview] = useState(true);
  const view = useView(layout);
  return (
    <div className="canvas" ref={view.frame} data-dragging={drag.state ? "" : undefined} onPointerDown={drag.onPointerDown}>
      <ReactFlow
        nodes={[]}
        edges={[]}
        minZoom={0.15}
        maxZoom={1.6}
        panOnScroll
        zoomOnDoubleClick={false}
        nodesDraggable={false}
        nodesConnectable={false}
        nodesFocusable={false}
        edgesFocusable={false}
        elementsSelectable={false}
        deleteKeyCode={null}
        selectionKeyCode={null}
        multiSelectionKeyCode={null}
        disableKeyboardA11y
        proOptions={{ hideAttribution: true }}
        onMoveStart={() => view.frame.current?.setAttribute("data-moving", "")}
        onMoveEnd={() => view.frame.current?.removeAttribute("data-moving")}
        onPaneClick={() => session.select([])}
      >
        <ViewportPortal>
          <div className="drawing" data-testid="drawing">
            <div className="dots" style={{ width: layout.width + 2 * BEYOND, height: layout.height + 2 * BEYOND, left: -BEYOND, top: -BEYOND }} />
            <Wires inside={drawn.scene} width={layout.width} height={layout.height} />
            <StepTree drawn={drawn} />
            <Rules inside={drawn.scene} />
            <Jumps drawn={drawn} drag={drag} />
            <Terminals layout={layout} />
            <Choices layout={layout} />
            {session.canChange && <Slots inside={drawn.scene} target={drag.state?.target?.id ?? null} />}
            <DragLayer drag={drag} />
          </div>
        </ViewportPortal>
      </ReactFlow>
      {drawn.tree.places.length === 0 && <Empty />}
      <div className="canvas-tools" role="group" aria-label={t("view_tools")}>
        <Tool icon="zoom-out" word="zoom_out" act={view.out} />
        <Tool icon="zoom-in" word="zoom_in" act={view.in} />
        <Tool icon="maximize" word="fit" act={view.fit} />
        <JumpsToggle />
        <Tool icon="map" word="overview" act={() => setShowsOverview(!showsOverview)} pressed={showsOverview} />
      </div>
      {showsOverview && <Overview layout={layout} />}
    </div>
  );
}

function Tool({ icon, word, act, pressed }: { icon: string; word: string; act: () => void; pressed?: boolean }): React.JSX.Element {
  return (
    <button type="button" className="button button-quiet button-icon button-small" aria-label={t(word)} title={t(word)} aria-pressed={pressed} onClick={act}>
      <Icon name={icon} />
    </button>
  );
}

function JumpsToggle(): React.JSX.Element {
  const { session } = useApp();
  const all = useSession((state) => state.showsAllJumps);
  return <Tool icon="route" word="show_all_jumps" pressed={all} act={() => session.update({ showsAllJumps: !all })} />;
}

function Empty(): React.JSX.Element {
  const { session, openInsert } = useApp();
  return (
    <div className="canvas-empty">
      <span className="empty-icon"><Icon name="workflow" /></span>
      <h2>{t("empty_heading")}</h2>
      <p>{t("empty_words")}</p>
      {session.canChange && (
        <button
          type="button"
          className="button button-primary"
          onClick={(event) => {
            const box = event.currentTarget.getBoundingClientRect();
            openInsert({ slot: { mode: "in", parent: null, index: 0 }, x: box.left, y: box.bottom + 6 });
          }}
        >
          <Icon name="plus" /> {t("add_first_step")}
        </button>
      )}
    </div>
  );
}

interface ViewControls {
  readonly frame: React.RefObject<HTMLDivElement | null>;
  readonly fit: () => void;
  readonly in: () => void;
  readonly out: () => void;
}

/** Where the window stands over the drawing: at first its top, later wherever somebody looks for a step. */
function useView(layout: Layout): ViewControls {
  const { session } = useApp();
  const flow = useReactFlow();
  const store = useStoreApi();
  const frame = useRef<HTMLDivElement>(null);
  const size = useCallback(() => ({ width: frame.current?.clientWidth ?? 800, height: frame.current?.clientHeight ?? 600 }), []);

  const fit = useCallback(() => {
    const { width, height } = size();
    const zoom = Math.max(0.15, Math.min(1, (width - 40) / layout.width, (height - 40) / layout.height));
    void flow.setViewport({ zoom, x: (width - layout.width * zoom) / 2, y: Math.max(12, (height - layout.height * zoom) / 2) });
  }, [flow, layout, size]);

  useEffect(() => {
    const { width } = size();
    const zoom = Math.max(0.8, Math.min(1, (width - 32) / layout.width));
    const wide = layout.width * zoom > width;
    void flow.setViewport({ zoom, x: wide ? width / 2 - layout.start.x * zoom : (width - layout.width * zoom) / 2, y: 8 });
    // only at first: later the window stays where it is
  }, []);

  const reveal = useSession((state) => state.reveal);
  const latest = useRef(layout);
  latest.current = layout;
  useEffect(() => {
    const box = reveal && latest.current.boxes.get(reveal.key);
    if (!box) return;
    const { transform, width, height } = store.getState(); // known; asking the page would make it lay everything out first
    const [x, y, zoom] = transform;
    const [left, top] = [box.x * zoom + x, box.y * zoom + y];
    const [right, bottom] = [left + box.width * zoom, top + Math.min(box.height, 200) * zoom];
    const dx = left < 24 ? 24 - left : right > width - 24 ? Math.max(width - 24 - right, 24 - left) : 0;
    const dy = top < 24 ? 24 - top : bottom > height - 60 ? height - 60 - bottom : 0;
    if (dx || dy) void flow.setViewport({ x: x + dx, y: y + dy, zoom });
  }, [reveal, flow, store]);

  useEffect(() => {
    const element = frame.current!;
    const zoomKeys = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || (event.target as HTMLElement).matches("input, textarea, select")) return;
      if (event.key === "0") fit();
    };
    element.addEventListener("keydown", zoomKeys);
    return () => element.removeEventListener("keydown", zoomKeys);
  }, [fit]);

  void session;
  return { frame, fit, in: () => void flow.zoomIn(), out: () => void flow.zoomOut() };
}
