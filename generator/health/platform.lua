-- Converging is Progressing, not Degraded: a first install would fail otherwise.
hs = {status = "Progressing", message = "waiting for the operator"}
local status = type(obj.status) == "table" and obj.status or {}
local seen, generation = status.observedGeneration, obj.metadata.generation
if type(seen) == "number" and type(generation) == "number" and seen < generation then
  hs.message = "waiting for the operator to see the change"
  return hs
end
if status.phase == "Error" then
  hs.status = "Degraded"
  hs.message = status.errorMessage or "phase Error"
  return hs
end
for _, condition in ipairs(type(status.conditions) == "table" and status.conditions or {}) do
  if type(condition) == "table" and condition.type == "Ready" then
    if condition.status == "True" then
      hs.status = "Healthy"
      hs.message = ""
    else
      hs.message = condition.message or condition.reason or "not ready"
    end
    return hs
  end
end
if status.phase == "Ready" then
  hs.status = "Healthy"
  hs.message = ""
end
return hs
