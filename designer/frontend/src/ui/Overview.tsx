// The whole flow small, with the part that is in view; a click goes there.

import { useReactFlow, useStore } from "@xyflow/react";
import { memo } from "react";
import { t } from "../app/start";
import type { Layout } from "../model/layout";

const SIZE = { width: 148, height: 112 };

export function Overview({ layout }: { layout: Layout }): React.JSX.Element | null {
  const flow = useReactFlow();
  const view = useStore((state) => `${state.transform.join(",")},${state.width},${state.height}`);
  const [x, y, zoom, width, height] = view.split(",").map(Number) as [number, number, number, number, number];
  const scale = Math.min(SIZE.width / layout.width, SIZE.height / layout.height);
  if (layout.boxes.size < 4) return null;
  const go = (event: React.MouseEvent<HTMLDivElement>): void => {
    const box = event.currentTarget.getBoundingClientRect();
    const [cx, cy] = [(event.clientX - box.left) / scale, (event.clientY - box.top) / scale];
    void flow.setViewport({ zoom, x: width / 2 - cx * zoom, y: height / 2 - cy * zoom });
  };
  return (
    <div className="overview" style={{ width: layout.width * scale, height: layout.height * scale }} onClick={go} title={t("overview")} aria-hidden="true">
      <Shapes layout={layout} scale={scale} />
      <div className="overview-view" style={{ width: (width / zoom) * scale, height: (height / zoom) * scale, transform: `translate(${(-x / zoom) * scale}px, ${(-y / zoom) * scale}px)` }} />
    </div>
  );
}

/** All boxes as two shapes: at this size nobody sees more, and a change of the flow is a change of two elements. */
const Shapes = memo(function Shapes({ layout, scale }: { layout: Layout; scale: number }): React.JSX.Element {
  const boxes = [...layout.boxes.values()];
  const shape = (isOpen: boolean): string => boxes.filter((box) => box.isOpen === isOpen).map((box) => `M${box.x} ${box.y}h${box.width}v${box.height}h${-box.width}z`).join("");
  return (
    <svg width={layout.width * scale} height={layout.height * scale} viewBox={`0 0 ${layout.width} ${layout.height}`}>
      <path className="overview-frame" d={shape(true)} />
      <path className="overview-step" d={shape(false)} />
    </svg>
  );
});
