/** A component that is shown anew at intervals, as it tells a time that goes on. */
import { useEffect, useReducer } from 'react'

/** @param isOn false: nothing goes on */
export function useEvery(milliseconds: number, isOn = true): void {
  const [, look] = useReducer((count: number) => count + 1, 0)
  useEffect(() => {
    if (!isOn) return
    const timer = setInterval(look, milliseconds)
    return () => clearInterval(timer)
  }, [milliseconds, isOn])
}
