-- Converging is Progressing, not Degraded: a first install would fail otherwise.
hs = {status = "Progressing", message = "waiting for the operator"}
if obj.status == nil then
  return hs
end
if obj.status.observedGeneration ~= nil and obj.status.observedGeneration < obj.metadata.generation then
  hs.message = "waiting for the operator to see the change"
  return hs
end
if obj.status.phase == "Error" then
  hs.status = "Degraded"
  hs.message = obj.status.errorMessage or "phase Error"
  return hs
end
for _, condition in ipairs(obj.status.conditions or {}) do
  if condition.type == "Ready" then
    if condition.status == "True" then
      hs.status = "Healthy"
      hs.message = ""
    else
      hs.message = condition.message or condition.reason or "not ready"
    end
    return hs
  end
end
if obj.status.phase == "Ready" then
  hs.status = "Healthy"
  hs.message = ""
end
return hs
