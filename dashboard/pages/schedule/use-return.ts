/**
 * The focus after the dialog of a booking. The button that has opened it is gone then, as its time was held meanwhile: the
 * focus goes to what stands at that time, once the plan is read again.
 */
import { useEffect, useRef } from 'react'
import type { FreeTime } from '../../fhir/free-times.ts'
import type { Plan } from './use-plan.ts'

/** @returns notes that the dialog of a time was closed */
export function useReturn(plan: Plan): (time: FreeTime | undefined) => void {
  const left = useRef<FreeTime>(undefined)
  // biome-ignore lint/correctness/useExhaustiveDependencies: each new plan may show the time
  useEffect(() => {
    if (left.current === undefined || document.querySelector('[role="dialog"]') !== null) return
    const { schedule, start } = left.current
    const there = document.querySelector<HTMLElement>(`[data-time="${CSS.escape(`${schedule} ${start}`)}"]`)
    if (there === null) return
    left.current = undefined
    if (document.activeElement === document.body) there.focus()
  }, [plan])
  return (time) => {
    left.current = time
  }
}
