/** The stores and clinics that every part of the contract gets. */
import type { ResourceStore } from '../../../src/storage/port.ts'
import type { Clinic } from '../fixtures.ts'

/** Gives an empty store (made with the combined indexes of fixtures.ts) and a function that disposes of it. */
export type OpenStore = () => Promise<{ readonly store: ResourceStore; readonly close: () => Promise<void> }>

/** A clinic of its own for every test, so that one store serves them all. */
export type NewClinic = () => Clinic
