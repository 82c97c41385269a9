/** Steps of the arrow keys from one button of the calendar to another: `data-column`, `data-from`. */

export function neighbourOf(frame: HTMLElement, from: HTMLElement, key: string): HTMLElement | undefined {
  const step = STEPS[key]
  const here = from.closest<HTMLElement>('[data-from]')
  if (step === undefined || here === null) return undefined
  const all = [...frame.querySelectorAll<HTMLElement>('[data-from]')]
  return 'down' in step ? inColumn(all, here, step.down) : inNextColumn(all, here, step.aside)
}

type Step = { readonly down: number } | { readonly aside: 1 | -1 }

const STEPS: Readonly<Record<string, Step>> = {
  ArrowDown: { down: 1 },
  ArrowUp: { down: -1 },
  Home: { down: Number.NEGATIVE_INFINITY },
  End: { down: Number.POSITIVE_INFINITY },
  ArrowRight: { aside: 1 },
  ArrowLeft: { aside: -1 },
}

const columnOf = ({ dataset }: HTMLElement): number => Number(dataset['column'])
const startOf = ({ dataset }: HTMLElement): number => Number(dataset['from'])

function inColumn(all: readonly HTMLElement[], here: HTMLElement, by: number): HTMLElement | undefined {
  const column = all
    .filter((one) => columnOf(one) === columnOf(here))
    .sort((one, other) => startOf(one) - startOf(other))
  const index = Math.min(Math.max(column.indexOf(here) + by, 0), column.length - 1)
  return column[index]
}

/** The one nearest in time in the next column that has any. */
function inNextColumn(all: readonly HTMLElement[], here: HTMLElement, by: 1 | -1): HTMLElement | undefined {
  const beyond = all.filter((one) => (columnOf(one) - columnOf(here)) * by > 0)
  const next = Math.min(...beyond.map((one) => columnOf(one) * by)) * by
  const distance = (one: HTMLElement) => Math.abs(startOf(one) - startOf(here))
  return beyond.filter((one) => columnOf(one) === next).sort((one, other) => distance(one) - distance(other))[0]
}
