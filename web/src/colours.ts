// Okabe and Ito 2008, as in python/headgate/base/palette.py. No figure relies on colour alone: each series has its
// dashes as well.

import { place } from "./place";

const BLACK = "#000000";
const COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", BLACK];
const DASHES: readonly number[][] = [[], [8, 4], [2, 3], [8, 3, 2, 3], [14, 4], [5, 2], [10, 3, 2, 3, 2, 3]];

export interface Theme {
  ink: string;
  soft: string;
  grid: string;
  ground: string;
}

export function theme(): Theme {
  return place.dark()
    ? { ink: "#e8e8e8", soft: "#b4bac2", grid: "#333a42", ground: "#15191e" }
    : { ink: "#222222", soft: "#555555", grid: "#dddddd", ground: "#ffffff" };
}

export function onTheme(change: () => void): void {
  place.onTheme(change);
}

export function colour(index: number): string {
  const chosen = COLOURS[index % COLOURS.length] ?? BLACK;
  return chosen === BLACK ? theme().ink : chosen;
}

/** Series with the same colour differ in their dashes: the pattern moves on by one with each round of colours. */
export function dash(index: number): number[] {
  return DASHES[(index + Math.floor(index / COLOURS.length)) % DASHES.length] ?? [];
}

export function pale(index: number, strength = 0.35): string {
  const value = colour(index);
  const part = (at: number): number => Number.parseInt(value.slice(at, at + 2), 16);
  return `rgba(${part(1)},${part(3)},${part(5)},${strength})`;
}
