/** Saves a file from the page. */

export function download(name: string, content: Blob): void {
  const address = URL.createObjectURL(content)
  const link = document.createElement('a')
  link.href = address
  link.download = name.replace(/[^\w.-]/g, '-')
  link.click()
  URL.revokeObjectURL(address)
}
