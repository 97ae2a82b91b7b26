import type { Place } from '../../model/diagnostic.js';
import { type ChangeView, factsOf } from '../change-view.js';
import { fits } from '../columns.js';
import { word } from '../escape.js';
import { type FieldView, LONGEST_LINE, tooDifferent, valueText } from '../field-view.js';
import { type RunsView, type RunText, zonesText } from '../next-runs.js';
import type { PlaceUrl } from '../plan-lookup.js';
import type { PageChange, PageField, PagePlace, PageRuns } from './page-data.js';

/** One change, with everything that a reviewer may want to know of it. */
export function changeData(view: ChangeView, urlOf: PlaceUrl): PageChange {
  const { change, name, needsCare, remarks, risks, notes, fields, calls, runs } = view;
  const { address, kind, action, id, source } = change;
  const facts = factsOf(view);
  const shown = facts.find((each) => fits(each.join('; '), LONGEST_LINE)) ?? facts.at(-1) ?? [];
  return {
    address,
    kind,
    action,
    name: name ?? undefined,
    id: id ?? undefined,
    facts: shown.join('; ') || undefined,
    careful: needsCare || undefined,
    remarks,
    risks: risks.map(({ label, besideCadence }) => ({ label, message: besideCadence })),
    notes,
    place: source === null ? undefined : placeData(source, urlOf),
    fields: fields.map(fieldData),
    calls,
    runs: runs === null ? undefined : runsData(runs),
  };
}

export function placeData(place: Place, urlOf: PlaceUrl): PagePlace {
  return { file: place.file, line: place.line, url: urlOf(place) ?? undefined };
}

function fieldData({ path, remark, difference }: FieldView): PageField {
  const about = { path, remark: remark ?? undefined };
  switch (difference.kind) {
    case 'value': {
      const { before, after } = difference;
      const text = (value: typeof before) => (value === undefined ? undefined : valueText(value));
      return { ...about, before: text(before), after: text(after) };
    }
    case 'list': {
      const { before = [], after = [], added, removed, changesOrder } = difference;
      const chain = (list: readonly string[]) => list.map(word).join(' → ');
      const order = changesOrder ? { before: chain(before), after: chain(after) } : {};
      return { ...about, added: added.map(word), removed: removed.map(word), ...order };
    }
    case 'lines':
      return {
        ...about,
        lines: difference.lines() ?? [{ kind: 'same', text: tooDifferent(difference) }],
      };
    default:
      return difference satisfies never;
  }
}

function runsData(runs: RunsView): PageRuns {
  const { source, before, after, computed, clockChanges } = runs;
  const column = (title: string, list: readonly RunText[] | null) =>
    list === null ? [] : [{ title, runs: list.map(({ text }) => text) }];
  return {
    title: `Next runs in ${zonesText(runs)}, ${source}`,
    columns: [
      ...column('before', before),
      ...column('after', after),
      ...column('computed by roster', computed),
    ],
    clockChanges,
  };
}
