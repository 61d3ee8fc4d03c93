/** A member's sign: a shape in the member's colour on a tile. Colour is never the only cue. */
import { memo } from "react";
import { memberStyle, memberStyles, type MemberStyle, type MemberStyles } from "../../transcript/index.ts";
import { useHead } from "../store/use-store.ts";

const NOBODY: MemberStyles = new Map();

export function useMemberStyle(name: string): MemberStyle {
  return memberStyle(useHead(memberStyles) ?? NOBODY, name);
}

/** By index of the hue; the last one is for subagents and members that have left. */
const SHAPES = [
  <circle key="circle" cx="8" cy="8" r="6" />,
  <path key="diamond" d="M8 .8 15.2 8 8 15.2.8 8Z" />,
  <path key="triangle" d="M8 1.8 15 14.2H1Z" />,
  <rect key="square" x="2.2" y="2.2" width="11.6" height="11.6" rx="1.5" />,
  <path key="hexagon" d="M8 1l6 3.5v7L8 15l-6-3.5v-7Z" />,
  <path key="cross" d="M5.6 1.5h4.8v4.1h4.1v4.8h-4.1v4.1H5.6v-4.1H1.5V5.6h4.1Z" />,
  <path key="star" d="M8 .6 10 6l5.4 2L10 10l-2 5.4L6 10 .6 8 6 6Z" />,
  <path
    key="ring"
    fillRule="evenodd"
    d="M8 1.5a6.5 6.5 0 1 1 0 13 6.5 6.5 0 0 1 0-13Zm0 3.4a3.1 3.1 0 1 0 0 6.2 3.1 3.1 0 0 0 0-6.2Z"
  />,
  <path
    key="guest"
    fillRule="evenodd"
    d="M8 3a5 5 0 1 1 0 10A5 5 0 0 1 8 3Zm0 1.6a3.4 3.4 0 1 0 0 6.8 3.4 3.4 0 0 0 0-6.8Z"
  />,
];

/** Tiles of 16, 20 and 28 pixels. */
export type SignSize = "s" | "m" | "l";

export function Sign({ hue, size = "m" }: { hue: number; size?: SignSize }) {
  return (
    <span className={`sign ${size}`} data-hue={hue} aria-hidden="true">
      <svg viewBox="0 0 16 16" focusable="false">
        {SHAPES[hue] ?? SHAPES.at(-1)}
      </svg>
    </span>
  );
}

interface MemberSignProps {
  readonly name: string;
  readonly size?: SignSize;
}

export const MemberSign = memo(function MemberSign({ name, size = "m" }: MemberSignProps) {
  const { hue } = useMemberStyle(name);
  return <Sign hue={hue} size={size} />;
});

/** Three bars in the member's colour: somebody is at work. */
export const LiveBars = memo(function LiveBars() {
  return (
    <span className="live" aria-hidden="true">
      <i />
      <i />
      <i />
    </span>
  );
});
