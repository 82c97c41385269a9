/** The texts of a form, by the names of its fields. */
import { useState } from 'react'

/** @returns the texts, and a function that returns the listener of a field */
export function useTyped<T extends Readonly<Record<string, string>>>(first: T) {
  const [typed, setTyped] = useState(first)
  const set = (name: keyof T) => (event: { readonly currentTarget: { readonly value: string } }) =>
    setTyped({ ...typed, [name]: event.currentTarget.value })
  return { typed, set }
}
