/** A form on data that others change too: saved on the version that was read, so that no change of others is lost. */
import { useState } from 'react'
import { Problem } from '../api/problem.ts'

interface VersionedForm<Stored, Value, Wrong> {
  readonly valueIn: (stored: Stored) => Value
  /** @throws Problem 412 where somebody has saved since `on` was read */
  readonly write: (value: Value, on: Stored) => Promise<Stored>
  readonly read: () => Promise<Stored>
  readonly problemsOf: (error: unknown, value: Value, on: Stored) => readonly Wrong[]
  readonly onSaved: (saved: Stored) => unknown
}

/** @param first the version when the form is opened; later ones are compared when it is saved */
export function useVersionedForm<Stored, Value, Wrong>(first: Stored, form: VersionedForm<Stored, Value, Wrong>) {
  const { valueIn, write, read, problemsOf, onSaved } = form
  const [base, setBase] = useState(first)
  const [value, setValue] = useState(() => valueIn(first))
  const [problems, setProblems] = useState<readonly Wrong[]>([])
  /** The version that somebody else has saved meanwhile. */
  const [theirs, setTheirs] = useState<Stored>()
  const [isBusy, setBusy] = useState(false)

  const take = (saved: Stored): void => {
    setBase(saved)
    setValue(valueIn(saved))
    setTheirs(undefined)
    onSaved(saved)
  }
  const attempt = async (wanted: Value, on: Stored): Promise<void> => {
    try {
      take(await write(wanted, on))
    } catch (error) {
      if (!(error instanceof Problem && error.status === 412)) throw error
      const current = await read()
      // Saved by an earlier attempt, of which only the response was lost.
      if (isSame(valueIn(current), wanted)) take(current)
      else setTheirs(current)
    }
  }
  const store = async (wanted: Value, on: Stored): Promise<void> => {
    setBusy(true)
    setProblems([])
    await attempt(wanted, on).catch((error: unknown) => {
      setTheirs(undefined)
      setProblems(problemsOf(error, wanted, on))
    })
    setBusy(false)
  }
  const conflict = theirs && {
    base: valueIn(base),
    mine: value,
    theirs: valueIn(theirs),
    isBusy,
    onClose: () => setTheirs(undefined),
    onSave: (whole: unknown) => {
      setValue(whole as Value)
      void store(whole as Value, theirs)
    },
  }
  return {
    value,
    setValue,
    problems,
    isBusy,
    isChanged: !isSame(value, valueIn(base)),
    save: () => store(value, base),
    reset: () => setValue(valueIn(base)),
    /** For `Conflict`, where there is one. */
    conflict,
  }
}

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)
