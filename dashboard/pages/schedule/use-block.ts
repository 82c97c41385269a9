/** Time that is blocked with the visits in it: the time first, so that nobody books it meanwhile, then each visit. */
import { useQueryClient } from '@tanstack/react-query'
import type { Appointment, Slot } from 'fhir/r4'
import { useMemo, useState } from 'react'
import { useAll } from '../../api/all-pages.ts'
import { thisMinute } from '../../api/clock.ts'
import { errorText } from '../../api/problem.ts'
import { readAnew } from '../../api/read-anew.ts'
import type { Absence } from '../../fhir/availability.ts'
import { type FreeTime, isTimed, scheduleIdOf } from '../../fhir/free-times.ts'
import { overlaps, type Span } from '../../fhir/open-hours.ts'
import { type OtherTimes, otherTimes } from '../../fhir/other-times.ts'
import { addDays, dayOf } from '../../fhir/time.ts'
import { mayCancel, mayMove, type Visit } from '../../fhir/visits.ts'
import { useClinic } from '../../parts/clinic-context.tsx'
import { useSubmit } from '../../parts/sign-in.tsx'
import { offerUndo } from '../../parts/undo.tsx'
import { addAbsence, removeAbsence } from './absences.ts'
import { type Column, usePlan } from './use-plan.ts'
import { pathOf, useVisitActions, type VisitActions } from './visit-actions.ts'

export type Choice = 'same' | 'other' | 'cancel' | 'leave'

export interface Blocked {
  readonly visit: Visit
  readonly times: OtherTimes
  /** The first one is taken unless another is chosen. */
  readonly choices: readonly Choice[]
  readonly choice: Choice
  /** The server's sentence where it has refused. */
  readonly problem: string | undefined
}

interface Wanted {
  readonly columns: readonly Column[]
  readonly schedule: string
  readonly span: Span
  readonly reason: string
  readonly onClose: () => void
}

/** Changes of visits that were made, to be taken back. */
interface Done {
  readonly path: string
  readonly undo: () => Promise<unknown>
}

export type Block = ReturnType<typeof useBlock>

export function useBlock({ columns, schedule, span, reason, onClose }: Wanted) {
  const client = useQueryClient()
  const actions = useVisitActions()
  const [chosen, setChosen] = useState<Readonly<Record<string, Choice>>>({})
  const [problems, setProblems] = useState<Readonly<Record<string, string>>>({})
  const [absence, setAbsence] = useState<Absence>()
  const [done, setDone] = useState<readonly Done[]>([])
  const found = useVisitsIn(columns, schedule, span)
  const visits = found.visits.map((one) => asChosen(one, chosen[one.visit.id], problems[one.visit.id]))

  const blockTime = async (): Promise<Absence> => {
    const wanted = absence ?? { start: span.start, end: span.end, description: reason }
    await addAbsence(schedule, wanted)
    setAbsence(wanted)
    return wanted
  }
  const { error, isBusy, submit } = useSubmit(async () => {
    if (Date.parse(span.end) <= Date.parse(span.start)) throw new Error('It ends before it begins.')
    const blocked = await blockTime()
    const settled = await settle(visits, actions)
    const all = [...done, ...settled.done]
    setDone(all)
    setProblems(settled.problems)
    void readAnew(client, 'Schedule', 'Slot')
    const failed = Object.keys(settled.problems).length
    if (failed > 0) throw new Error(`The time is blocked. ${failed} of the visits in it could not be changed:`)
    onClose()
    tellBlocked(schedule, blocked, all, client)
  })
  return {
    visits,
    isCut: found.isCut,
    isPending: found.isPending,
    loadError: found.error,
    error,
    isBusy,
    isBlocked: absence !== undefined,
    submit,
    choose: (id: string, choice: Choice) => setChosen({ ...chosen, [id]: choice }),
    /** Time that is blocked already can be taken back. */
    close: () => {
      onClose()
      if (absence !== undefined) tellBlocked(schedule, absence, done, client)
    },
  }
}

function asChosen(
  found: Pick<Blocked, 'visit' | 'times'>,
  chosen: Choice | undefined,
  problem: string | undefined,
): Blocked {
  const { visit, times } = found
  const choices: readonly Choice[] = [
    ...(mayMove(visit) && times.same !== undefined ? (['same'] as const) : []),
    ...(mayMove(visit) && times.other !== undefined ? (['other'] as const) : []),
    ...(mayCancel(visit) ? (['cancel'] as const) : []),
    'leave',
  ]
  const first = mayMove(visit) ? choices[0] : 'leave'
  const choice = chosen !== undefined && choices.includes(chosen) ? chosen : (first ?? 'leave')
  return { visit, times, choices, choice, problem }
}

/** Changes one visit after the other, and goes on where one is refused. */
async function settle(visits: readonly Blocked[], actions: VisitActions) {
  const done: Done[] = []
  const problems: Record<string, string> = {}
  for (const one of visits) {
    try {
      const change = await changeOf(one, actions)
      if (change !== undefined) done.push(change)
    } catch (error) {
      problems[one.visit.id] = errorText(error)
    }
  }
  return { done, problems }
}

async function changeOf({ visit, times, choice }: Blocked, actions: VisitActions): Promise<Done | undefined> {
  if (choice === 'leave') return undefined
  const path = pathOf(visit.id)
  if (choice === 'cancel') {
    const cancelled: Appointment = await actions.cancel(visit.id, { code: 'prov-pers', comment: '' })
    return { path, undo: () => actions.bookAgain(cancelled) }
  }
  const time: FreeTime | undefined = times[choice]
  if (time === undefined) return undefined
  const moved = await actions.move(visit.appointment, time.slots)
  return { path, undo: () => actions.move(moved, visit.slots) }
}

/** Offers to take all of it back. Where the server is away in between, a second try goes on with the rest. */
function tellBlocked(
  schedule: string,
  absence: Absence,
  done: readonly Done[],
  client: ReturnType<typeof useQueryClient>,
): void {
  const count = done.length === 0 ? '' : ` ${done.length} ${done.length === 1 ? 'visit is' : 'visits are'} changed.`
  const left = [...done]
  offerUndo(`The time is blocked.${count}`, {
    things: [`Schedule/${schedule}`, ...done.map(({ path }) => path)],
    undo: async () => {
      await removeAbsence(schedule, absence)
      for (let next = left[0]; next !== undefined; next = left[0]) {
        await next.undo()
        left.shift()
      }
      await readAnew(client, 'Schedule', 'Slot', 'Appointment')
    },
  })
}

const SOON = 30

/** The visits in a span of a Schedule, each with times to which it could go. */
function useVisitsIn(columns: readonly Column[], schedule: string, span: Span) {
  const { timeZone: zone } = useClinic()
  const isSpan = span.start !== '' && span.end !== '' && Date.parse(span.start) < Date.parse(span.end)
  const [start, end] = isSpan ? [span.start, span.end] : [new Date(0).toISOString(), new Date(0).toISOString()]
  const days = { from: dayOf(start, zone), until: addDays(dayOf(end, zone), 1) }
  const plan = usePlan({ ...days, zone, schedules: [schedule] }, columns, isSpan)
  const free = useFreeAround(schedule, start, isSpan)
  const visits = useMemo(() => {
    const within = (plan.data?.visits ?? [])
      .filter((visit) => visit.schedule === schedule && overlaps(visit, { start, end }) && mayCancel(visit))
      .toSorted((one, other) => Date.parse(one.start) - Date.parse(other.start))
    const offered = free.slots.filter((slot) => scheduleIdOf(slot) !== schedule || !overlaps(slot, { start, end }))
    const times = otherTimes(within, offered, schedule)
    return within.map((visit) => ({ visit, times: times.get(visit.id) ?? { same: undefined, other: undefined } }))
  }, [plan.data, free.slots, schedule, start, end])
  return {
    visits: isSpan ? visits : [],
    isCut: isSpan && plan.data?.isCut === true,
    isPending: isSpan && (plan.data === undefined || free.isPending),
    error: plan.error ?? free.error,
  }
}

/** Free times of the practitioner in the month from then on, and those of all in the days around. */
function useFreeAround(schedule: string, start: string, enabled: boolean) {
  const minute = new Date(Math.max(thisMinute(), Date.parse(start))).toISOString()
  const until = new Date(Date.parse(minute) + SOON * 86_400_000).toISOString()
  const shared = [
    ['status', 'free'],
    ['start', `ge${minute}`],
    ['start', `lt${until}`],
    ['_elements', 'schedule,start,end,status,appointmentType'],
    ['_sort', 'start'],
  ] as const
  const own = useAll<Slot>('Slot', [['schedule', `Schedule/${schedule}`], ...shared], { enabled, most: 800 })
  const all = useAll<Slot>('Slot', shared, { enabled, most: 400 })
  const slots = useMemo(() => {
    const found = [...(own.data?.matches ?? []), ...(all.data?.matches ?? [])].filter(isTimed)
    return [...new Map(found.map((slot) => [slot.id, slot])).values()]
  }, [own.data, all.data])
  return { slots, isPending: own.data === undefined || all.data === undefined, error: own.error ?? all.error }
}
